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
        q, k, v = self.split(self.W_Q(x)), self.split(self.W_K(source)), self.split(self.W_V(source))
        attn_w = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.d_k), dim=-1)
        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2))

    def split(self, t):
        return t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)


torch.manual_seed(0)
mine, library = CrossAttention(16, 4), nn.MultiheadAttention(16, 4, bias=False, batch_first=True)
with torch.no_grad():
    library.in_proj_weight.copy_(torch.cat([mine.W_Q.weight, mine.W_K.weight, mine.W_V.weight]))
    library.out_proj.weight.copy_(mine.W_O.weight)
x, memory = torch.randn(2, 7, 16), torch.randn(2, 5, 16)
print(torch.allclose(mine(x, memory), library(x, memory, memory)[0], atol=1e-6))
print(torch.allclose(mine(x), library(x, x, x)[0], atol=1e-6))
