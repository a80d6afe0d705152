import math

import torch
import torch.nn as nn


class CausalMask(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("hidden", torch.triu(torch.ones(size, size, dtype=torch.bool), diagonal=1))

    def forward(self, scores):
        n = scores.shape[-1]
        return scores.masked_fill(self.hidden[:n, :n], float("-inf"))


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.hide = CausalMask(context_length)
        self.softmax = nn.Softmax(dim=-1)

    def split(self, t):
        return t.unflatten(2, (self.nheads, t.shape[2] // self.nheads)).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = self.hide(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]))
        return self.out((self.softmax(scores) @ v).transpose(1, 2).flatten(2))
