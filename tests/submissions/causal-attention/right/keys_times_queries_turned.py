import torch
from torch import nn


class CausalMHA(nn.Module):
    # Columns are queries here, so the softmax runs over the rows.
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("upper", torch.ones(context_length, context_length, dtype=torch.bool).triu())

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (w(x).unflatten(-1, (self.nheads, -1)).transpose(1, 2) for w in (self.q, self.k, self.v))
        table = k @ q.transpose(-1, -2) / q.shape[-1] ** 0.5
        table = table.masked_fill(self.upper[:n, :n].logical_not(), float("-inf"))
        shares = torch.softmax(table, dim=-2)
        return self.out((shares.transpose(-1, -2) @ v).transpose(1, 2).flatten(2))
