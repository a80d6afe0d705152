import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class CausalMHA(nn.Module):
    """nanoGPT style."""

    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__()
        if d_out % nheads != 0:
            raise ValueError("d_out % nheads != 0")
        self.n_head = nheads
        self.p = dropout
        self.q, self.k, self.v = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))
        self.out = nn.Linear(d_out, d_out)
        tril = torch.tril(torch.ones(context_length, context_length, dtype=torch.bool))
        self.register_buffer("bias", tril.view(1, 1, context_length, context_length), persistent=False)

    def split(self, t):
        B, T, C = t.shape
        return t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

    def merge(self, t):
        B, h, T, d = t.shape
        return t.transpose(1, 2).reshape(B, T, h * d)

    def forward(self, x):
        T = x.size(1)
        q = self.split(self.q(x))
        k = self.split(self.k(x))
        v = self.split(self.v(x))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(~self.bias[:, :, :T, :T], float("-inf"))
        att = F.softmax(att, dim=-1)
        att = F.dropout(att, p=self.p, training=self.training)
        y = self.merge(att @ v)
        return self.out(y)
