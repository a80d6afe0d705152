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
        self.register_buffer("causal", torch.full((context_length, context_length), float("-inf")).triu(1))

    def forward(self, x):
        B, T, _ = x.shape
        heads = lambda t: t.reshape(B, T, self.nheads, self.head_dim).permute(0, 2, 1, 3)
        q, k, v = heads(self.q(x)), heads(self.k(x)), heads(self.v(x))
        a = torch.softmax(q.matmul(k.mT).div(math.sqrt(self.head_dim)).add(self.causal[:T, :T]), -1)
        a = torch.dropout(a, self.p, self.training)
        return self.out(a.matmul(v).permute(0, 2, 1, 3).reshape(B, T, -1))
