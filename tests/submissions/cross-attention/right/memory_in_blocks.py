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
        q = self.split(self.W_Q(x)) / math.sqrt(self.d_k)
        top = q.new_full((*q.shape[:3], 1), -torch.inf)
        total = q.new_zeros(*q.shape[:3], 1)
        mixed = torch.zeros_like(q)
        for block in source.split(4, dim=1):
            scores = q @ self.split(self.W_K(block)).mT
            higher = torch.maximum(top, scores.amax(-1, keepdim=True))
            shrink = torch.exp(top - higher)
            e = torch.exp(scores - higher)
            total = total * shrink + e.sum(-1, keepdim=True)
            mixed = mixed * shrink + e @ self.split(self.W_V(block))
            top = higher
        return self.W_O((mixed / total).transpose(1, 2).flatten(2))

    def split(self, t):
        return t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
