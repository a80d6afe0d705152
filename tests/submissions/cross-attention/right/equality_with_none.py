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
        kv = memory if memory != None else x
        B, T, C = x.size()
        S = kv.size(1)
        q = self.W_Q(x).view(B, T, self.h, self.d_k).permute([0, 2, 1, 3])
        kT = self.W_K(kv).view(B, S, self.h, self.d_k).permute([0, 2, 3, 1])
        v = self.W_V(kv).view(B, S, self.h, self.d_k).permute([0, 2, 1, 3])
        att = torch.softmax((q @ kT) * (1.0 / math.sqrt(self.d_k)), dim=-1)
        y = (att @ v).permute([0, 2, 1, 3]).contiguous().view(B, T, C)
        return self.W_O(y)
