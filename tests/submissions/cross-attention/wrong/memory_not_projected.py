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
        if memory is None:
            return self.self_attention(x)
        return self.cross_attention(x, memory)

    def self_attention(self, x):
        heads = [layer(x).unflatten(2, (self.h, self.d_k)).transpose(1, 2) for layer in (self.W_Q, self.W_K, self.W_V)]
        return self.finish(*heads)

    def cross_attention(self, x, memory):
        q = self.W_Q(x).unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        k = memory.unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        v = memory.unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        return self.finish(q, k, v)

    def finish(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.d_k), dim=-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2))
