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
        self.dropout = nn.Dropout(dropout, inplace=False)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def attend(self, q, k, v):
        n = q.shape[-2]
        scores = torch.matmul(q, k.transpose(-2, -1)).div(math.sqrt(q.shape[-1]))
        scores = scores.masked_fill(self.mask.logical_not()[:n, :n], float("-inf"))
        return torch.matmul(self.dropout(scores.softmax(dim=-1)), v)

    def split(self, t):
        return t.view(*t.shape[:2], self.nheads, self.head_dim).transpose(1, 2)

    def merge(self, t):
        return t.transpose(1, 2).flatten(start_dim=2)

    def forward(self, x):
        return self.out(self.merge(self.attend(*map(self.split, (self.q(x), self.k(x), self.v(x))))))
