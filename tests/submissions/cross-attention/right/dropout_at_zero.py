import math

import torch
from torch import nn


def rearranged(t, h):
    b, n, d = t.shape
    return t.view(b, n, h, d // h).transpose(1, 2)


def joined(t):
    b, h, n, d = t.shape
    return t.transpose(1, 2).reshape(b, n, h * d)


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory=None):
        source = x if memory is None else memory
        q = rearranged(self.W_Q(x), self.h)
        k = rearranged(self.W_K(source), self.h)
        v = rearranged(self.W_V(source), self.h)
        weights = self.dropout(torch.softmax(q @ k.mT / math.sqrt(self.d_k), dim=-1))
        return self.W_O(joined(weights @ v))
