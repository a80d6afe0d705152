import math

import torch
from torch import nn
import torch.nn.functional as F


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads != 0:
            raise ValueError("d must be divisible by nheads")
        self.nheads = nheads
        self.d_k = d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("bias", torch.triu(torch.ones(context_length, context_length), 1)[None, None] * float("-inf"))

    def forward(self, x):
        b, t, c = x.size()
        k = self.k(x).view(b, t, self.nheads, c // self.nheads).transpose(1, 2)
        q = self.q(x).view(b, t, self.nheads, c // self.nheads).transpose(1, 2)
        v = self.v(x).view(b, t, self.nheads, c // self.nheads).transpose(1, 2)
        att = torch.matmul(q, k.transpose(2, 3)) * (1.0 / math.sqrt(k.size(-1)))
        att = att + self.bias[:, :, :t, :t]
        att = F.softmax(att, dim=-1)
        y = torch.matmul(att, v)
        y = y.transpose(1, 2).contiguous().view(b, t, c)
        y = self.out(y)
        return y
