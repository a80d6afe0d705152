import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    # One row and one column more do no harm.
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads, self.dh = nheads, d // nheads
        self.q, self.k, self.v = [nn.Linear(d, d, bias=False) for _ in range(3)]
        self.out = nn.Linear(d, d)
        size = context_length + 1
        self.register_buffer("mask", torch.tril(torch.ones(size, size)) == 0)

    def forward(self, x):
        B, n, d = x.shape
        q = self.q(x).view(B, n, self.nheads, self.dh).transpose(1, 2)
        k = self.k(x).view(B, n, self.nheads, self.dh).transpose(1, 2)
        v = self.v(x).view(B, n, self.nheads, self.dh).transpose(1, 2)
        s = (q @ k.transpose(2, 3)).div(self.dh**0.5).masked_fill(self.mask[:n, :n], -1e30)
        return self.out((s.softmax(3) @ v).transpose(1, 2).reshape(x.shape))
