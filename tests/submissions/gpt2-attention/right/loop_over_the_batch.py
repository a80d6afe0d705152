import math
import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__()
        if d_out % nheads:
            raise ValueError("uneven")
        self.h, self.d = nheads, d_out // nheads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def one(self, sample):
        n = sample.shape[0]
        q, k, v = (f(sample).view(n, self.h, self.d).transpose(0, 1) for f in (self.q, self.k, self.v))
        w = (q @ k.transpose(1, 2) / math.sqrt(self.d)).masked_fill(~self.mask[:n, :n], -math.inf).softmax(-1)
        return self.out((self.dropout(w) @ v).transpose(0, 1).reshape(n, -1))

    def forward(self, x):
        return torch.stack([self.one(sample) for sample in x])
