import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__()
        assert d_out % nheads == 0, "d_out must be divisible by nheads"
        self.d_out = d_out
        self.nheads = nheads
        self.head_dim = d_out // nheads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("m", torch.ones(1, 1, context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        f = lambda l: l(x).unflatten(-1, (self.nheads, -1)).movedim(-2, 1)
        T = x.shape[-2]
        return self.out((self.drop((f(self.q) @ f(self.k).mT / self.head_dim**.5).masked_fill(~self.m[..., :T, :T], -torch.inf).softmax(-1)) @ f(self.v)).movedim(1, -2).flatten(-2))
