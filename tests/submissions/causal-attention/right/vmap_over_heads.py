import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        n = x.shape[1]
        mask = self.mask[:n, :n]

        def one_head(q, k, v):
            scores = q @ k.T / q.shape[-1] ** 0.5
            return torch.softmax(torch.where(mask, scores, float("-inf")), dim=-1) @ v

        heads = [w(x).unflatten(-1, (self.nheads, -1)) for w in (self.q, self.k, self.v)]
        per_sample = torch.vmap(one_head, in_dims=1, out_dims=1)
        joined = torch.vmap(per_sample)(*heads)
        return self.out(joined.flatten(2))
