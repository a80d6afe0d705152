from dataclasses import dataclass

import torch
from torch import nn


@dataclass(eq=False, repr=False)
class MultiHeadAttention(nn.Module):
    d_model: int
    h: int

    def __post_init__(self):
        super().__init__()
        if self.d_model % self.h:
            raise ValueError("d_model must be divisible by h")
        self.W_Q = nn.Linear(self.d_model, self.d_model, bias=False)
        self.W_K = nn.Linear(self.d_model, self.d_model, bias=False)
        self.W_V = nn.Linear(self.d_model, self.d_model, bias=False)
        self.W_O = nn.Linear(self.d_model, self.d_model, bias=False)

    def heads(self, x):
        return x.view(*x.shape[:-1], self.h, self.d_model // self.h).transpose(-2, -3)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.heads(self.W_Q(Q)), self.heads(self.W_K(K)), self.heads(self.W_V(V))
        s = q @ k.transpose(-1, -2) / (self.d_model / self.h) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        w = s.softmax(-1)
        return self.W_O((w @ v).transpose(-2, -3).flatten(-2)), w
