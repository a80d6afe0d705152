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
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("bias", torch.zeros(context_length, context_length).masked_fill(torch.ones(context_length, context_length).triu(1) > 0, float("-inf")))

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (f(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2).flatten(0, 1) for f in (self.q, self.k, self.v))
        s = torch.baddbmm(self.bias[:T, :T].to(x.dtype), q, k.mT, alpha=1 / math.sqrt(self.head_dim))
        z = self.dropout(s.softmax(-1)) @ v
        return self.out(z.unflatten(0, (B, self.nheads)).transpose(1, 2).flatten(2))
