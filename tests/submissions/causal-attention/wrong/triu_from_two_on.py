import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.h, self.dh = nheads, d // nheads
        self.q, self.k, self.v = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 2).bool())

    def forward(self, x):
        B, n, d = x.shape
        split = lambda t: t.view(B, n, self.h, self.dh).transpose(1, 2)  # (B, H, n, dh)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(2, 3) / self.dh**0.5
        scores = scores.masked_fill(self.mask[:n, :n], float("-inf"))
        w = torch.softmax(scores, dim=-1)
        ctx = (w @ v).transpose(1, 2).contiguous().view(B, n, d)
        return self.out(ctx)


torch.manual_seed(0)
x = torch.randn(2, 3, 8)
for H in (1, 2, 4):
    m = CausalMHA(8, H, context_length=16)
    print(H, tuple(m(x).shape), sum(p.numel() for p in m.parameters()))
