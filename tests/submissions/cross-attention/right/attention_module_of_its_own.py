import math

import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, queries, keys, values):
        scores = torch.matmul(queries, keys.transpose(-2, -1))
        scores = scores / math.sqrt(queries.size(-1))
        return torch.matmul(nn.functional.softmax(scores, dim=-1), values)


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention()

    def forward(self, x, memory=None):
        keys_and_values = x if memory is None else memory
        heads = self.attention(
            queries=self.heads_of(self.W_Q(x)),
            keys=self.heads_of(self.W_K(keys_and_values)),
            values=self.heads_of(self.W_V(keys_and_values)),
        )
        return self.W_O(heads.transpose(1, 2).flatten(start_dim=2))

    def heads_of(self, t):
        return t.unflatten(dim=-1, sizes=(self.h, self.d_k)).transpose(1, 2)
