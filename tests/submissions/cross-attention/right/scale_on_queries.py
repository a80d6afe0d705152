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
        context = memory if memory is not None else x
        q = (self.W_Q(x) * self.d_k**-0.5).unflatten(-1, (self.h, self.d_k)).movedim(2, 1)
        k = self.W_K(context).unflatten(-1, (self.h, self.d_k)).movedim(2, 1)
        v = self.W_V(context).unflatten(-1, (self.h, self.d_k)).movedim(2, 1)
        return self.W_O((q.matmul(k.swapaxes(-1, -2)).softmax(-1) @ v).movedim(1, 2).flatten(-2))
