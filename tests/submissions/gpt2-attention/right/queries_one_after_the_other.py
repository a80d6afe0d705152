import math
import torch
from torch import nn


class CausalMHA(nn.Module):
    """Token by token, as in writing: each query meets the keys that are there by then."""

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

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (f(x).view(B, T, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        rows = []
        for t in range(T):
            s = (q[:, :, t : t + 1] @ k.transpose(-2, -1)) / math.sqrt(self.d)
            w = s.masked_fill(~self.mask[t, :T], -math.inf).softmax(-1)
            rows.append(self.dropout(w) @ v)
        return self.out(torch.cat(rows, dim=2).transpose(1, 2).flatten(2))
