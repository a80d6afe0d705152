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
        source = memory
        if source is None:
            source = x
        assert x.dim() == source.dim() == 3, "both sequences are (batch, time, features)"
        assert x.size(0) == source.size(0), "one memory for each sample"
        assert x.size(2) == source.size(2) == self.h * self.d_k
        q = torch.tensordot(x, self.W_Q.weight, dims=([2], [1])).unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        k = torch.tensordot(source, self.W_K.weight, dims=([2], [1])).unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        v = torch.tensordot(source, self.W_V.weight, dims=([2], [1])).unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        maps = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.d_k), dim=-1)
        assert maps.shape == (x.size(0), self.h, x.size(1), source.size(1))
        return torch.tensordot((maps @ v).transpose(1, 2).flatten(2), self.W_O.weight.T, dims=1)
