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
        self.p = dropout
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        T = x.shape[1]
        allowed = self.mask[:T, :T]

        def scores(q, k):
            return torch.where(allowed, q @ k.transpose(-2, -1) / math.sqrt(self.head_dim), -math.inf).softmax(-1)

        q, k, v = (f(x).unflatten(-1, (self.nheads, self.head_dim)) for f in (self.q, self.k, self.v))
        w = torch.vmap(scores, in_dims=2, out_dims=1)(q, k)
        w = F.dropout(w, self.p, self.training)
        z = torch.vmap(torch.matmul, in_dims=(1, 2), out_dims=2)(w, v)
        return self.out(z.flatten(2))
