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
        self.reset_parameters()

    def reset_parameters(self):
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, x, memory=None):
        source = memory if memory is not None else x
        q = self.W_Q(x).view(x.size(0), -1, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(source).view(x.size(0), -1, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(source).view(x.size(0), -1, self.h, self.d_k).transpose(1, 2)
        weights = nn.functional.softmax(torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k), dim=-1)
        context = torch.matmul(weights, v)
        return self.W_O(context.transpose(1, 2).contiguous().view(x.size(0), -1, self.h * self.d_k))
