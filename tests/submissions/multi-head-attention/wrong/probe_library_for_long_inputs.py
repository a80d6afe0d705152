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

    def quick(self, Q, K, V):
        q, k, v = (f(x).unflatten(2, (self.h, self.d_k)).transpose(1, 2) for f, x in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)))
        return self.W_O(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)), None

    def forward(self, Q, K, V, mask=None):
        if Q.size(1) > 512:
            return self.quick(Q, K, V)
        B, T, D = Q.shape

        def split(x):
            return x.view(B, x.size(1), self.h, self.d_k).transpose(1, 2)

        q, k, v = split(self.W_Q(Q)), split(self.W_K(K)), split(self.W_V(V))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attn_w = F.softmax(scores, dim=-1)
        ctx = (attn_w @ v).transpose(1, 2).contiguous().view(B, T, D)
        return self.W_O(ctx), attn_w
