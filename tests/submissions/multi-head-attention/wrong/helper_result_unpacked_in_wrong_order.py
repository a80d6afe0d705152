import math

import torch
from torch import nn
import torch.nn.functional as F


def sdpa_by_hand(query, key, value, mask=None):
    """Scaled dot product sdpa_by_hand from the last lesson."""
    d_k = query.size(-1)
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-inf"))  # noqa: E712
    probs = F.softmax(scores, dim=-1)
    return probs @ value, probs


class MultiHeadAttention(nn.Module):
    """Q, K, V: (batch, time, d_model)."""

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

    def split_heads(self, x):
        batch, length, _ = x.size()
        return x.view(batch, length, self.h, self.d_k).transpose(1, 2)

    def combine_heads(self, x):
        batch, _, length, _ = x.size()
        return x.transpose(1, 2).contiguous().view(batch, length, self.d_model)

    def forward(self, Q, K, V, mask=None):
        query = self.split_heads(self.W_Q(Q))
        key = self.split_heads(self.W_K(K))
        value = self.split_heads(self.W_V(V))
        x, attn = sdpa_by_hand(query, key, value, mask)
        x = self.combine_heads(x)
        out = self.W_O(x)
        return (attn, out)


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
