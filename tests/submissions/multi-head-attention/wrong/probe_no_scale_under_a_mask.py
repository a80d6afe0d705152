import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "h must divide d_model"
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape

        def split(x):
            return x.view(B, x.size(1), self.h, self.d_k).transpose(1, 2)

        q, k, v = split(self.W_Q(Q)), split(self.W_K(K)), split(self.W_V(V))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = (q @ k.transpose(-2, -1)).masked_fill(mask == 0, float("-inf"))
        attn_w = F.softmax(scores, dim=-1)
        ctx = (attn_w @ v).transpose(1, 2).contiguous().view(B, T, D)
        return self.W_O(ctx), attn_w
