import math

import torch
from torch import nn
import torch.nn.functional as F


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
        self.cut = None

    def split(self, t):
        B, n, _ = t.shape
        return t.view(B, n, self.nheads, self.d_k).transpose(1, 2)

    def forward(self, x):
        B, n, d = x.shape
        q = self.split(self.q(x))
        k = self.split(self.k(x))
        v = self.split(self.v(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if self.cut is None:
            self.cut = ~self.mask[:n, :n]
        scores = scores.masked_fill(self.cut, float('-inf'))
        weights = torch.softmax(scores, dim=-1)
        joined = (weights @ v).transpose(1, 2).reshape(B, n, d)
        return self.out(joined)
