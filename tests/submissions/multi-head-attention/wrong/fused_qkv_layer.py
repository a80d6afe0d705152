import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Multi-head attention, my version for lesson 81."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.d_model = d_model
        self.h = h
        self.d_k = d_model // h

        self.W_QKV = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T_q, _ = Q.shape
        T_k = K.shape[1]

        w_q, w_k, w_v = self.W_QKV.weight.chunk(3, dim=0)
        q = (Q @ w_q.T).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        k = (K @ w_k.T).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        v = (V @ w_v.T).view(B, T_k, self.h, self.d_k).transpose(1, 2)

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)

        context = torch.matmul(attn_w, v)
        context = context.transpose(1, 2).contiguous().view(B, T_q, self.d_model)
        output = self.W_O(context)
        return output, attn_w
