import math

import torch
from torch import nn
import torch.nn.functional as F


def attention(query, key, value, mask=None):
    """Scaled dot product attention from the last lesson."""
    d_k = query.size(-1)
    dots = query @ key.transpose(-2, -1)
    dots = dots / math.sqrt(d_k)
    if mask is not None:
        dots = dots.masked_fill(mask == False, float("-inf"))  # noqa: E712
    p_attn = F.softmax(dots, dim=-1)
    return p_attn @ value, p_attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.d_model = d_model
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _to_heads(self, x):
        batch, length, _ = x.size()
        return x.view(batch, length, self.h, self.d_k).transpose(1, 2)

    def _join_heads(self, x):
        batch, _, length, _ = x.size()
        return x.contiguous().view(batch, length, self.d_model)

    def forward(self, Q, K, V, mask=None):
        query = self._to_heads(self.W_Q(Q))
        key = self._to_heads(self.W_K(K))
        value = self._to_heads(self.W_V(V))
        x, attn = attention(query, key, value, mask)
        x = self._join_heads(x)
        return self.W_O(x), attn


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
