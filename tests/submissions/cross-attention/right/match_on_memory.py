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
        match memory:
            case None:
                k, v = self.W_K(x), self.W_V(x)
            case torch.Tensor():
                k, v = self.W_K(memory), self.W_V(memory)
        q, k, v = (t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2) for t in (self.W_Q(x), k, v))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.d_k), dim=-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2))
