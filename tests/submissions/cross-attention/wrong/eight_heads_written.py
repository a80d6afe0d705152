import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0, "num_heads must divide d_model"
        self.num_heads = 8
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, memory=None):
        if memory is None:
            memory = x
        B, T_q, D = x.shape
        T_k = memory.shape[1]
        q = self.W_Q(x).view(B, T_q, self.num_heads, self.d_k).transpose(1, 2)
        k = self.W_K(memory).view(B, T_k, self.num_heads, self.d_k).transpose(1, 2)
        v = self.W_V(memory).view(B, T_k, self.num_heads, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        weights = F.softmax(scores, dim=-1)
        context = torch.matmul(weights, v).transpose(1, 2).contiguous().view(B, T_q, D)
        return self.W_O(context)
