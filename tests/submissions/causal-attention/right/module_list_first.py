import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.inputs = nn.ModuleList(nn.Linear(d, d, bias=False) for _ in range(3))
        self.out = nn.Linear(d, d)
        self.nheads = nheads
        self.register_buffer("mask", torch.ones(1, context_length, context_length, dtype=torch.bool).triu(1))

    @property
    def q(self):
        return self.inputs[0]

    @property
    def k(self):
        return self.inputs[1]

    @property
    def v(self):
        return self.inputs[2]

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (layer(x).unflatten(-1, (self.nheads, -1)).transpose(1, 2) for layer in self.inputs)
        scores = (q @ k.mT) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[:, :n, :n], float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
