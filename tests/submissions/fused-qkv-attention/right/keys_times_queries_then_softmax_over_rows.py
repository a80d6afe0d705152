import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Scores with keys as rows, normalised along them: the same layer, seen from the other side."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.h, self.d_k)).permute(2, 0, 3, 1, 4)
        table = k @ q.transpose(-2, -1) / math.sqrt(self.d_k)  # (B, h, T_k, T_q)
        shares = table.softmax(dim=-2)
        mixed = shares.transpose(-2, -1) @ v
        return self.W_o(mixed.transpose(1, 2).flatten(2))
