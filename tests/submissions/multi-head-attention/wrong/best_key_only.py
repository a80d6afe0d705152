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
    p_attn = F.one_hot(dots.argmax(dim=-1), dots.size(-1)).to(dots.dtype)
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
        return x.transpose(1, 2).contiguous().view(batch, length, self.d_model)

    def forward(self, Q, K, V, mask=None):
        query = self._to_heads(self.W_Q(Q))
        key = self._to_heads(self.W_K(K))
        value = self._to_heads(self.W_V(V))
        x, attn = attention(query, key, value, mask)
        x = self._join_heads(x)
        return self.W_O(x), attn


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
