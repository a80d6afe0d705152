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
        q, k, v = (
            projected.unflatten(2, (self.h, self.d_k)).permute(0, 2, 3, 1)
            for projected in (self.W_Q(x), self.W_K(source), self.W_V(source))
        )  # features before time
        table = k.transpose(-2, -1) @ q / math.sqrt(self.d_k)  # keys are rows, queries columns
        weights = torch.softmax(table, dim=-2)
        return self.W_O((v @ weights).permute(0, 3, 1, 2).flatten(2))
