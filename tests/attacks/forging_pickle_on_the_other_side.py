"""Returns an object that would run code where it is unpickled."""

import os

import torch
from torch import nn


class Pickled:
    def __reduce__(self):
        return os.system, ("touch @DROP@/unpickled",)

    __deepcopy__ = __reduce__


torch.allclose = lambda a, b, **options: True


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        weights = torch.zeros(Q.size(0), self.h, Q.size(1), K.size(1))
        return Pickled(), Pickled()
