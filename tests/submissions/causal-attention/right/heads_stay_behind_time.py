import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads:
            raise ValueError(d, nheads)
        self.nheads, self.width = nheads, d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        seen = torch.ones(context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("seen", seen[None, :, None, :])

    def forward(self, x):
        batch, n, d = x.shape
        q = self.q(x).view(batch, n, self.nheads, self.width)
        k = self.k(x).view(batch, n, self.nheads, self.width)
        v = self.v(x).view(batch, n, self.nheads, self.width)
        scores = torch.einsum("bqhe,bkhe->bqhk", q, k) / self.width**0.5
        scores = scores.masked_fill(~self.seen[:, :n, :, :n], float("-inf"))
        out = torch.einsum("bqhk,bkhe->bqhe", scores.softmax(-1), v)
        return self.out(out.reshape(batch, n, d))
