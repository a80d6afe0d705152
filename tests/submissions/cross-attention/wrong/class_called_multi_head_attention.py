import math

import torch
from torch import nn


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, t):
        B, T, _ = t.shape
        t = t.view(B, T, self.h, self.d_k)
        return t.transpose(1, 2)

    def forward(self, x, memory=None):
        source = x if memory is None else memory
        Q = self.W_Q(x)
        K = self.W_K(source)
        V = self.W_V(source)
        q = self.split(Q)
        k = self.split(K)
        v = self.split(V)
        scores = q @ k.transpose(-2, -1)
        scores = scores / math.sqrt(self.d_k)
        attn_w = torch.softmax(scores, dim=-1)
        context = attn_w @ v
        context = context.transpose(1, 2)
        context = context.reshape(x.shape[0], x.shape[1], -1)
        output = self.W_O(context)
        return output
