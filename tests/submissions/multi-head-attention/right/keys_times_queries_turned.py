import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Columns are tokens here, as in the linear algebra course: x is (d, T)."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def columns(self, layer, x):
        y = layer.weight @ x.mT                                   # (B, d_model, T)
        return y.reshape(x.shape[0], self.h, self.d_k, x.shape[1])  # (B, h, d_k, T)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.columns(self.W_Q, Q), self.columns(self.W_K, K), self.columns(self.W_V, V)
        s = k.mT @ q / self.d_k**0.5                              # (B, h, T_k, T_q)
        if mask is not None:
            s = s.masked_fill(~mask.mT, float("-inf"))
        a = s.softmax(dim=-2)                                     # every column sums to one
        y = (v @ a).flatten(1, 2)                                 # (B, d_model, T_q)
        return (self.W_O.weight @ y).mT, a.mT
