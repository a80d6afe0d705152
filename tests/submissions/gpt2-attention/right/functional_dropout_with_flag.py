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
        self.register_buffer("allowed", torch.ones(context_length, context_length, dtype=torch.bool).tril(), persistent=False)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (layer(x).unflatten(-1, (self.nheads, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.head_dim**0.5
        w = s.masked_fill(~self.allowed[:n, :n], float("-inf")).softmax(-1)
        w = F.dropout(w, p=self.p, training=self.training)
        return self.out(torch.einsum("bhqk,bhkd->bqhd", w, v).flatten(2))
