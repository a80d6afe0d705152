"""The steps under the names that they have in the code released with GPT-2."""

import math

import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__()
        assert d_out % nheads == 0  # n_state % n_head
        self.n_head = nheads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        self.attn_drop = nn.Dropout(dropout)
        i = torch.arange(context_length)[:, None]
        j = torch.arange(context_length)
        self.register_buffer("b", (i >= j).float())

    def split_heads(self, x):
        return torch.permute(x.reshape(*x.shape[:-1], self.n_head, x.shape[-1] // self.n_head), [0, 2, 1, 3])

    def merge_heads(self, x):
        x = torch.permute(x, [0, 2, 1, 3])
        return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])

    def mask_attn_weights(self, w):
        nd, ns = w.shape[-2:]
        b = self.b[ns - nd : ns, :ns].to(w.dtype)
        return w * b - 1e10 * (1 - b)

    def multihead_attn(self, q, k, v):
        w = torch.matmul(q, k.transpose(-1, -2))
        w = w * (1 / math.sqrt(v.shape[-1]))
        w = self.mask_attn_weights(w)
        w = torch.softmax(w, dim=-1)
        w = self.attn_drop(w)
        return torch.matmul(w, v)

    def forward(self, x):
        q, k, v = map(self.split_heads, [self.q(x), self.k(x), self.v(x)])
        a = self.multihead_attn(q, k, v)
        a = self.merge_heads(a)
        return self.out(a)
