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
        self.rate = dropout
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        T = x.size(1)
        q, k, v = (f(x).unflatten(2, (self.nheads, self.head_dim)).transpose(1, 2) for f in (self.q, self.k, self.v))
        w = (q @ k.mT).mul(self.head_dim**-0.5).masked_fill(self.mask[:T, :T].logical_not(), -math.inf).softmax(-1)
        keep = torch.rand_like(w).ge(self.rate).to(w.dtype).div(1 - self.rate)
        w = w * keep if self.training else w
        return self.out((w @ v).transpose(1, 2).flatten(2))
