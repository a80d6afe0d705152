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
        weight = torch.cat([self.q.weight, self.k.weight, self.v.weight])
        bias = None if self.q.bias is None else torch.cat([self.q.bias, self.k.bias, self.v.bias])
        q, k, v = F.linear(x, weight, bias).view(B, T, 3, self.nheads, self.head_dim).permute(2, 0, 3, 1, 4)
        w = (q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)).masked_fill(~self.mask[:T, :T], float("-inf")).softmax(-1)
        return self.out((self.drop(w) @ v).transpose(1, 2).flatten(2))
