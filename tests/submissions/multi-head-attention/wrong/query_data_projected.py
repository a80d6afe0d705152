from math import sqrt

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "h must divide d_model"
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        q = self.split(self.W_Q(Q.data))
        k = self.split(self.W_K(K))
        v = self.split(self.W_V(V))
        scores = torch.matmul(q, k.transpose(2, 3)) / sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = scores.softmax(dim=-1)
        context = torch.matmul(attn, v).transpose(1, 2).contiguous()
        output = self.W_O(context.view(Q.size(0), Q.size(1), -1))
        return output, attn
