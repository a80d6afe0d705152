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
        shape = x.shape
        memory = x if memory is None else memory
        x = self.W_Q(x).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        v = self.W_V(memory).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        memory = self.W_K(memory).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        x = x @ memory.transpose(-2, -1)
        x = x / math.sqrt(self.d_k)
        x = torch.softmax(x, dim=-1)
        x = x @ v
        x = x.transpose(1, 2).reshape(shape)
        return self.W_O(x)
