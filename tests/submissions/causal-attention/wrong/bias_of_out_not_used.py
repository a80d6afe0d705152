import torch
import torch.nn.functional as F
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        nn.Module.__init__(self)
        head, rest = divmod(d, nheads)
        if rest:
            raise ValueError("the heads must share the width evenly")
        self.head, self.nheads = head, nheads
        self.q = nn.Linear(d, d, False)
        self.k = nn.Linear(d, d, False)
        self.v = nn.Linear(d, d, False)
        self.out = nn.Linear(d, d)
        future = torch.arange(context_length)[None, :] > torch.arange(context_length)[:, None]
        self.register_buffer("future", future)

    def forward(self, x):
        n = x.shape[-2]
        weight = torch.cat([self.q.weight, self.k.weight, self.v.weight])
        q, k, v = F.linear(x, weight).unflatten(-1, (3, self.nheads, self.head)).permute(2, 0, 3, 1, 4)
        scores = (q * self.head**-0.25) @ (k * self.head**-0.25).transpose(-2, -1)
        scores.masked_fill_(self.future[:n, :n], float("-inf"))
        context = scores.softmax(-1) @ v
        return F.linear(context.transpose(1, 2).flatten(-2), self.out.weight)
