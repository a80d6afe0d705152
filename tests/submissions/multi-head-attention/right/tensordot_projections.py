import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """A physicist's version: contract indices, never reshape an activation."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        D = self.h * self.d
        wq = self.W_Q.weight.reshape(self.h, self.d, D)
        wk = self.W_K.weight.reshape(self.h, self.d, D)
        wv = self.W_V.weight.reshape(self.h, self.d, D)
        wo = self.W_O.weight.reshape(D, self.h, self.d)

        q = torch.tensordot(Q, wq, dims=([2], [2])).permute(0, 2, 1, 3)   # b t h d -> b h t d
        k = torch.tensordot(K, wk, dims=([2], [2])).permute(0, 2, 3, 1)   # b s h d -> b h d s
        v = torch.tensordot(V, wv, dims=([2], [2])).permute(0, 2, 1, 3)
        beta = self.d ** -0.5
        e = -beta * torch.matmul(q, k)                                     # energies
        if mask is not None:
            e = e.masked_fill(~mask, float("inf"))                         # infinitely expensive
        p = torch.softmax(-e, dim=-1)                                      # Boltzmann weights
        x = torch.matmul(p, v)
        return torch.tensordot(x, wo, dims=([1, 3], [1, 2])), p
