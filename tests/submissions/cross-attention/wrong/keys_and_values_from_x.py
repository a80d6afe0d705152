import math

import torch
import torch.nn.functional as F
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

        def heads(t, layer):
            t = F.linear(t, layer.weight)
            return t.view(*t.shape[:2], self.h, self.d_k).transpose(1, 2)

        q, k, v = heads(x, self.W_Q), heads(x, self.W_K), heads(x, self.W_V)
        w = F.softmax(q @ k.mT / math.sqrt(self.d_k), dim=-1)
        return F.linear((w @ v).transpose(1, 2).reshape(*x.shape), self.W_O.weight)
