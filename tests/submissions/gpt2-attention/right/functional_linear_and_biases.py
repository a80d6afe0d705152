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
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        B, T, _ = x.shape
        q = F.linear(x, self.q.weight, self.q.bias)
        k = F.linear(x, self.k.weight, self.k.bias)
        v = F.linear(x, self.v.weight, self.v.bias)
        q, k, v = (t.view(B, T, self.nheads, self.head_dim).permute(0, 2, 1, 3) for t in (q, k, v))
        w = self.drop(torch.softmax((q @ k.transpose(2, 3) / self.head_dim**0.5).masked_fill(~self.mask[:T, :T], float("-inf")), 3))
        z = (w @ v).permute(0, 2, 1, 3).reshape(B, T, self.d_out)
        return F.linear(z, self.out.weight, self.out.bias)
