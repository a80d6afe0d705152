import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads, self.dh = nheads, d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        table = torch.zeros(context_length, context_length)
        table[torch.ones(context_length, context_length).triu(1) == 1] = -torch.inf
        self.register_buffer("table", table)

    def forward(self, x):
        B, n, d = x.shape
        fold = lambda t: t.reshape(B, n, self.nheads, self.dh).transpose(1, 2).reshape(-1, n, self.dh)
        q, k, v = map(fold, (self.q(x), self.k(x), self.v(x)))
        scores = torch.baddbmm(self.table[:n, :n].to(q.dtype), q, k.mT, alpha=self.dh**-0.5)
        y = torch.bmm(scores.softmax(-1), v)
        return self.out(y.reshape(B, self.nheads, n, self.dh).transpose(1, 2).reshape(B, n, d))
