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

    def forward(self, x, *, memory=None):
        memory = memory if isinstance(memory, torch.Tensor) else x
        q = self.W_Q(x).unflatten(-1, (self.h, self.d_k))
        k = self.W_K(memory).unflatten(-1, (self.h, self.d_k))
        v = self.W_V(memory).unflatten(-1, (self.h, self.d_k))
        scores = torch.einsum("...qhd,...khd->...hqk", q, k).div(math.sqrt(self.d_k))
        return self.W_O(torch.einsum("...hqk,...khd->...qhd", scores.softmax(-1), v).flatten(-2))
