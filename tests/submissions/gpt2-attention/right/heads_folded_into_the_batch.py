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
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1))

    def fold(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.nheads, self.head_dim).transpose(1, 2).reshape(b * self.nheads, n, self.head_dim)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.fold(self.q(x)), self.fold(self.k(x)), self.fold(self.v(x))
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        w = self.dropout(torch.softmax(s.masked_fill(self.mask[:n, :n], float("-inf")), dim=2))
        z = torch.bmm(w, v).view(b, self.nheads, n, self.head_dim).transpose(1, 2).reshape(b, n, self.d_out)
        return self.out(z)
