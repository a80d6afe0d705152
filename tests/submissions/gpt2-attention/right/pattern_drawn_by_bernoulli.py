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
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)) == 1)

    def forward(self, x):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2)
        k = self.k(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2)
        v = self.v(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2)
        w = torch.where(self.mask[:T, :T], q @ k.transpose(-1, -2) / self.head_dim**0.5, float("-inf")).softmax(-1)
        if self.training and self.p > 0:
            keep = torch.bernoulli(torch.full_like(w, 1 - self.p))
            w = w * keep / (1 - self.p)
        return self.out((w @ v).transpose(1, 2).flatten(2))
