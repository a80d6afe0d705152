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
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.nheads, self.head_dim)
        k = self.k(x).view(B, T, self.nheads, self.head_dim) * self.head_dim**-0.5
        v = self.v(x).view(B, T, self.nheads, self.head_dim)
        s = torch.einsum("bqhd,bkhd->bqkh", q, k)
        s = s.masked_fill(~self.mask[:T, :T, None], float("-inf"))
        w = self.dropout(s.softmax(dim=2))
        return self.out(torch.einsum("bqkh,bkhd->bqhd", w, v).reshape(B, T, self.d_out))
