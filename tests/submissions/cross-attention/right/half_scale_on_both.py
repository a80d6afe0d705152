import math

import torch
from torch import nn


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

    def forward(self, x, memory=None):
        source = x if memory is None else memory
        root = math.sqrt(math.sqrt(self.d_k))
        q = self.split(self.W_Q(x) / root)
        k = self.split(self.W_K(source) / root)
        v = self.split(self.W_V(source))
        weights = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k), dim=3)
        return self.W_O(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))

    def split(self, t):
        return t.unflatten(2, (self.h, self.d_k))
