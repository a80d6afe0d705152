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
        y = x if memory is None else memory
        w_q, w_k, w_v = (w.weight.unflatten(0, (self.h, self.d_k)) for w in (self.W_Q, self.W_K, self.W_V))
        both = w_q.mT @ w_k / self.d_k**0.5  # (h, d, d)
        scores = x.unsqueeze(1) @ both @ y.unsqueeze(1).mT
        values = y.unsqueeze(1) @ w_v.mT
        return self.W_O((scores.softmax(-1) @ values).transpose(1, 2).flatten(2))
