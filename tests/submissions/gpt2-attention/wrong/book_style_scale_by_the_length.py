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
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.k(x)
        queries = self.q(x)
        values = self.v(x)
        keys = keys.view(b, num_tokens, self.nheads, self.head_dim)
        values = values.view(b, num_tokens, self.nheads, self.head_dim)
        queries = queries.view(b, num_tokens, self.nheads, self.head_dim)
        keys = keys.transpose(1, 2)
        queries = queries.transpose(1, 2)
        values = values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-2] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context = (attn_weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out(context)
