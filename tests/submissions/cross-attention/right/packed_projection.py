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

    def project(self, x, memory):
        if memory is None:
            packed = torch.cat((self.W_Q.weight, self.W_K.weight, self.W_V.weight))
            return F.linear(x, packed).chunk(3, dim=-1)
        packed = torch.cat((self.W_K.weight, self.W_V.weight))
        return (self.W_Q(x), *F.linear(memory, packed).split(self.h * self.d_k, dim=-1))

    def forward(self, x, memory=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.project(x, memory))
        weights = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2))
