import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        qkv = self.W_qkv(x)
        qkv = qkv.view(3, B, T, self.h, self.d_k).transpose(2, 3)  # (3, B, h, T, d_k)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-2, -1)
        scores = scores / math.sqrt(self.d_k)
        weights = torch.softmax(scores, dim=-1)
        context = weights @ v  # (B, h, T, d_k)
        merged = context.transpose(1, 2).reshape(B, T, D)
        output = self.W_o(merged)
        return output
