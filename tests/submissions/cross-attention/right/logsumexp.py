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
        s = torch.matmul(q, k.transpose(-1, -2)).mul(self.d_k**-0.5)
        log_w = s - s.logsumexp(-1, keepdim=True)
        return self.W_O(torch.matmul(log_w.exp(), v).transpose(1, 2).flatten(2))
