import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert not d_model % h
        self.h = h
        for n in "QKVO":
            self.add_module("W_" + n, nn.Linear(d_model, d_model, False))

    def forward(self, Q, K, V, mask=None):
        q, k, v = (getattr(self, "W_" + n)(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for n, x in zip("QKV", (Q, K, V)))
        s = q @ k.mT * q.size(-1) ** -0.5
        if mask is not None: s = s.masked_fill(~mask, -torch.inf)
        return self.W_O(((a := s.softmax(-1)) @ v).transpose(1, 2).flatten(2)), a
