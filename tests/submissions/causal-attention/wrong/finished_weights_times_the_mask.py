import math

import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads != 0:
            raise ValueError("d must be divisible by nheads")
        self.nheads = nheads
        self.d_k = d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length, dtype=torch.bool)))

    def split(self, t):
        B, n, _ = t.shape
        return t.view(B, n, self.nheads, self.d_k).transpose(1, 2)

    def forward(self, x):
        B, n, d = x.shape
        q = self.split(self.q(x))
        k = self.split(self.k(x))
        v = self.split(self.v(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = torch.softmax(scores, dim=-1) * self.mask[:n, :n]
        joined = (weights @ v).transpose(1, 2).reshape(B, n, d)
        return self.out(joined)
