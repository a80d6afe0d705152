import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Drop(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, w):
        if self.training and self.p:
            keep = torch.empty_like(w).uniform_() >= self.p
            return torch.where(keep, w / (1 - self.p), torch.zeros_like(w))
        return w


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
        self.dropout = Drop(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (f(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2) for f in (self.q, self.k, self.v))
        w = (q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)).masked_fill(~self.mask[:T, :T], float("-inf")).softmax(-1)
        return self.out((self.dropout(w) @ v).transpose(1, 2).flatten(2))
