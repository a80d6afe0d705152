import math

import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads:
            raise ValueError(f"{d} is not a multiple of {nheads}")
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        visible = torch.ones(context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("visible", visible, persistent=False)

    def forward(self, x):
        n = x.size(1)
        heads = [layer(x).unflatten(-1, (self.nheads, -1)).movedim(-2, 1) for layer in (self.q, self.k, self.v)]
        queries, keys, values = heads
        scores = queries.matmul(keys.mT) / math.sqrt(keys.size(-1))
        scores = torch.where(self.visible[:n, :n], scores, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1).matmul(values)
        return self.out(mixed.movedim(1, -2).flatten(-2))
