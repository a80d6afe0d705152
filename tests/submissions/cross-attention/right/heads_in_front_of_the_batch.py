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
        # heads, batch, time, features
        y = memory if memory is not None else x
        q = torch.stack(self.W_Q(x).split(self.d_k, dim=-1))
        k = torch.stack(self.W_K(y).split(self.d_k, dim=-1))
        v = torch.stack(self.W_V(y).split(self.d_k, dim=-1))
        w = (q @ k.mT / self.d_k**0.5).softmax(dim=-1)
        return self.W_O(torch.cat(tuple(w @ v), dim=-1))
