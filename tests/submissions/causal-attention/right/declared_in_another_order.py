import torch
from torch import Tensor, nn


class CausalMHA(nn.Module):
    mask: Tensor

    def __init__(self, d: int, nheads: int, context_length: int, *, device=None, dtype=None):
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.register_buffer("mask", torch.full((context_length, context_length), True).tril(), persistent=True)
        self.out = nn.Linear(d, d, **options)
        self.v = nn.Linear(d, d, bias=False, **options)
        self.k = nn.Linear(d, d, bias=False, **options)
        self.q = nn.Linear(d, d, bias=False, **options)
        self.nheads = nheads
        if d % nheads != 0:
            raise ValueError("indivisible")
        for layer in (self.q, self.k, self.v, self.out):
            nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor) -> Tensor:
        *_, n, d = x.shape
        shape = (-1, n, self.nheads, d // self.nheads)
        values = self.v(x).view(shape).transpose(1, 2)
        keys = self.k(x).view(shape).permute(0, 2, 3, 1)
        queries = self.q(x).view(shape).transpose(1, 2)
        shut = ~self.mask[:n, :n]
        weights = (queries @ keys).mul((d // self.nheads) ** -0.5).masked_fill(shut, -torch.inf).softmax(dim=-1)
        return self.out((weights @ values).transpose(1, 2).reshape(x.shape))
