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
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.register_buffer("hidden", torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1))

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (f(x).reshape(B, T, self.nheads, self.head_dim).swapaxes(1, 2) for f in (self.q, self.k, self.v))
        s = (q @ k.swapaxes(-1, -2)) * k.shape[-1] ** -0.5
        s = s.masked_fill(self.hidden[:T, :T], -1e30)
        return self.out((self.dropout(F.log_softmax(s, -1).exp()) @ v).swapaxes(1, 2).reshape(B, T, self.d_out))
