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

    def _fold(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.h, self.d_k).permute(0, 2, 1, 3).reshape(b * self.h, n, self.d_k)

    def forward(self, x, memory=None):
        b, tq, d = x.shape
        source = memory if memory is not None else x
        q, k, v = self._fold(self.W_Q(x)), self._fold(self.W_K(source)), self._fold(self.W_V(source))
        weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_k), dim=-1)
        heads = torch.bmm(weights, v).view(b, self.h, tq, self.d_k)
        return self.W_O(heads.permute(0, 2, 1, 3).reshape(b, tq, d))
