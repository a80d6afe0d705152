import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def heads(self, x):
        B, T, _ = x.shape
        return self.W_qkv(x).view(B, T, 3, self.h, self.d_k).permute(2, 0, 3, 1, 4)

    def forward(self, x):
        q, k, v = self.heads(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.d_k), dim=-1)
        self.last_weights = weights.detach()
        print("weights", tuple(weights.shape))
        return self.W_o((weights @ v).transpose(1, 2).flatten(2))


layer = MultiHeadAttention(16, 4)
x = torch.randn(2, 5, 16)
with torch.no_grad():
    theirs = F.scaled_dot_product_attention(*layer.heads(x)).transpose(1, 2).flatten(2)
    print("largest difference", (layer(x) - layer.W_o(theirs)).abs().max().item())
