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
        shape = (x.shape[0], -1, self.h, self.d_k)
        q, k, v = (
            t.view(shape).transpose(1, 2) for t in (self.W_Q(x), self.W_K(source), self.W_V(source))
        )
        allowed = torch.ones(x.shape[1], source.shape[1], dtype=torch.bool, device=x.device)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O((weights @ v).transpose(1, 2).reshape(x.shape))
