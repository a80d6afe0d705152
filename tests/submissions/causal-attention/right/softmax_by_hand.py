import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.h, self.e = nheads, d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("allowed", torch.ones(context_length, context_length).tril())

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.h, self.e).transpose(1, 2)
        k = self.k(x).view(b, n, self.h, self.e).transpose(1, 2)
        v = self.v(x).view(b, n, self.h, self.e).transpose(1, 2)
        s = q.matmul(k.transpose(-1, -2)).div(self.e**0.5)
        allowed = self.allowed[:n, :n].to(s.dtype)
        s = s.masked_fill(allowed == 0, float("-inf"))
        s = s - s.max(dim=-1, keepdim=True).values
        e = s.exp() * allowed
        w = e / e.sum(dim=-1, keepdim=True)
        y = w.matmul(v).transpose(1, 2).reshape(b, n, -1)
        return self.out(y)
