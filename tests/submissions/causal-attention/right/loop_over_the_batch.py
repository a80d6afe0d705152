import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1))

    def attend(self, one):
        n, d = one.shape
        q = self.q(one).view(n, self.nheads, -1).transpose(0, 1)
        k = self.k(one).view(n, self.nheads, -1).transpose(0, 1)
        v = self.v(one).view(n, self.nheads, -1).transpose(0, 1)
        scores = (q @ k.transpose(1, 2)) / (d // self.nheads) ** 0.5
        scores = scores.masked_fill(self.mask[:n, :n], float("-inf"))
        return (scores.softmax(dim=-1) @ v).transpose(0, 1).reshape(n, d)

    def forward(self, x):
        return self.out(torch.stack([self.attend(one) for one in x]))
