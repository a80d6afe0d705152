import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Calls the first third key and compares key with query: with a fused matrix that is only another name."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = self.W_qkv(x).unflatten(-1, (self.h, 3, self.d_k)).permute(3, 0, 2, 1, 4)
        weights = (k @ q.transpose(-2, -1) / self.d_k**0.5).softmax(dim=-1)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2))
