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
        q = self.W_Q(x).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        k = self.W_K(source).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        v = self.W_V(source).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        per_head = self.W_O.weight.unflatten(1, (self.h, self.d_k)).permute(1, 2, 0)
        weights = torch.softmax(q @ k.mT / math.sqrt(self.d_k), dim=-1)
        return (weights @ (v @ per_head)).sum(dim=1)
