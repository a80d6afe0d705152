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
        self.rate = dropout
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

    def drop(self, w):
        if not self.training or self.rate == 0:
            return w
        gone = torch.rand(w.shape, device=w.device) < self.rate
        return w.masked_fill(gone, 0.0) / (1.0 - self.rate)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = [t.view(B, T, self.nheads, self.head_dim).transpose(1, 2) for t in (self.q(x), self.k(x), self.v(x))]
        scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
        scores = scores.masked_fill(self.mask[:T, :T], torch.finfo(scores.dtype).min)
        return self.out((self.drop(scores.softmax(dim=-1)) @ v).transpose(1, 2).reshape(B, T, self.d_out))
