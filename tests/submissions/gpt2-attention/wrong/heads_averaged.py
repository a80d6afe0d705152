import math

import torch
from torch import nn
from torch.nn import functional as F


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__()
        if d_out % nheads:
            raise ValueError("nheads must divide d_out")
        self.n_head, self.d_out, self.p = nheads, d_out, dropout
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        tril = torch.tril(torch.ones(context_length, context_length, dtype=torch.bool))
        self.register_buffer("bias", tril.view(1, 1, context_length, context_length))

    def forward(self, x):
        B, T, C = x.size()
        hs = self.d_out // self.n_head
        q = self.q(x).view(B, T, self.n_head, hs).transpose(1, 2)
        k = self.k(x).view(B, T, self.n_head, hs).transpose(1, 2)
        v = self.v(x).view(B, T, self.n_head, hs).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(hs))
        att = att.masked_fill(~self.bias[:, :, :T, :T], float("-inf"))
        att = F.softmax(att, dim=-1)
        att = F.dropout(att, self.p, training=self.training)
        y = att @ v
        y = y.mean(1).repeat(1, 1, self.n_head)
        return self.out(y)
