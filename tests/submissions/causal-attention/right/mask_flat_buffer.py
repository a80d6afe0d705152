import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    """The triangle is stored in one row and gets its two axes when it is used."""

    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads, self.longest = nheads, context_length
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool().flatten())

    def forward(self, x):
        B, n, d = x.shape
        hidden = self.mask.view(self.longest, self.longest)[:n, :n]
        q = self.q(x).view(B, n, self.nheads, -1).transpose(1, 2)
        k = self.k(x).view(B, n, self.nheads, -1).transpose(1, 2)
        v = self.v(x).view(B, n, self.nheads, -1).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / (d / self.nheads) ** 0.5
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return self.out(torch.matmul(weights, v).transpose(1, 2).reshape(B, n, d))
