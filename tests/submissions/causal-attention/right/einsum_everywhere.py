import torch
from torch import einsum, nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads != 0:
            raise ValueError("heads do not divide the width")
        self.heads, self.size = nheads, d // nheads
        for name in ("q", "k", "v"):
            setattr(self, name, nn.Linear(d, d, bias=False))
        self.out = nn.Linear(d, d, bias=True)
        self.register_buffer("hidden", torch.ones(context_length, context_length).triu(diagonal=1).bool())

    def forward(self, x):
        n = x.shape[1]
        w_q = self.q.weight.view(self.heads, self.size, -1)
        w_k = self.k.weight.view(self.heads, self.size, -1)
        w_v = self.v.weight.view(self.heads, self.size, -1)
        q = einsum("bnd,hed->bhne", x, w_q)
        k = einsum("bnd,hed->bhne", x, w_k)
        v = einsum("bnd,hed->bhne", x, w_v)
        scores = einsum("bhqe,bhke->bhqk", q, k) * self.size**-0.5
        scores = scores.masked_fill(self.hidden[:n, :n], -torch.inf)
        context = einsum("bhqk,bhke->bqhe", scores.softmax(dim=-1), v)
        return self.out(context.flatten(2))
