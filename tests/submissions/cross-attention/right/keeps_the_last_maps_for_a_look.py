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
        self.last_attn_w = None
        self.last_memory_length = None

    def forward(self, x, memory=None):
        source = x if memory is None else memory
        q, k, v = self._split(self.W_Q(x)), self._split(self.W_K(source)), self._split(self.W_V(source))
        attn_w = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.d_k), dim=-1)
        self.last_attn_w = attn_w.detach()
        self.last_memory_length = None if memory is None else memory.shape[1]
        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2))

    def _split(self, t):
        return t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
