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
        self.last_attn_w = None

    def forward(self, x):
        B, T, _ = x.shape
        if T > self.mask.shape[0]:
            raise ValueError(f"{T} tokens are more than {self.mask.shape[0]}")
        q, k, v = (f(x).view(B, T, self.nheads, self.head_dim).transpose(1, 2) for f in (self.q, self.k, self.v))
        w = torch.softmax((q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)).masked_fill(~self.mask[:T, :T], float("-inf")), -1)
        self.last_attn_w = w.detach()
        return self.out((self.dropout(w) @ v).transpose(1, 2).reshape(B, T, self.d_out))
