import torch
from torch import nn


class HeadsMixin:
    """Cutting into heads and joining again; knows nothing about attention."""

    h: int

    def split_heads(self, x):
        return x.unflatten(-1, (self.h, x.size(-1) // self.h)).transpose(-3, -2)

    def merge_heads(self, x):
        return x.transpose(-3, -2).flatten(-2)


class MaskMixin:
    fill = float("-inf")

    def apply_mask(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, self.fill)


class MultiHeadAttention(HeadsMixin, MaskMixin, nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"can't cut {d_model} features into {h} equal heads")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q, k, v = map(self.split_heads, (self.W_Q(Q), self.W_K(K), self.W_V(V)))
        scores = self.apply_mask(q @ k.mT / q.size(-1) ** 0.5, mask)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O(self.merge_heads(weights @ v)), weights
