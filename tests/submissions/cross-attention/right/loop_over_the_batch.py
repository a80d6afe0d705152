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
        outputs = []
        for one, other in zip(x, source):
            q = self.W_Q(one).view(-1, self.h, self.d_k).transpose(0, 1)
            k = self.W_K(other).view(-1, self.h, self.d_k).transpose(0, 1)
            v = self.W_V(other).view(-1, self.h, self.d_k).transpose(0, 1)
            a = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(self.d_k), dim=-1)
            outputs.append((a @ v).transpose(0, 1).reshape(-1, self.h * self.d_k))
        return self.W_O(torch.stack(outputs))
