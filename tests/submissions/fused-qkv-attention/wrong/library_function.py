import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.heads, self.width = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        fused = self.W_qkv(x)
        v, k, q = fused.unflatten(-1, (self.heads, 3, self.width)).unbind(-2)  # (B, T, h, d)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)
        return self.W_o(mixed.flatten(2))
