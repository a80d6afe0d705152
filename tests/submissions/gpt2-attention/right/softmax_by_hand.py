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
        self.register_buffer("mask", torch.ones(context_length, context_length).tril())

    def forward(self, x):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2)
        k = self.k(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2)
        v = self.v(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        s = s.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
        e = (s - s.amax(dim=-1, keepdim=True)).exp()
        w = e / e.sum(dim=-1, keepdim=True)
        return self.out((self.drop(w) @ v).transpose(1, 2).contiguous().view(B, T, -1))
