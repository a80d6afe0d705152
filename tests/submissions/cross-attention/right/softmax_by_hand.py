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
        q, k, v = self.cut(self.W_Q(x)), self.cut(self.W_K(source)), self.cut(self.W_V(source))
        s = q @ k.transpose(2, 3) / math.sqrt(self.d_k)
        s = s - s.max(dim=-1, keepdim=True).values
        e = torch.exp(s)
        a = e / e.sum(dim=-1, keepdim=True)
        return self.W_O((a @ v).transpose(1, 2).reshape(x.shape))

    def cut(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.d_k).transpose(1, 2)
