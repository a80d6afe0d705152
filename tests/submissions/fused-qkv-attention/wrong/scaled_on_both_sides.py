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
        q = q * self.width**-0.5
        table = torch.einsum("bihd,bjhd->bhij", q, k)
        table = table / self.width**0.5
        table = table.softmax(dim=-1)
        mixed = torch.einsum("bhij,bjhd->bihd", table, v)
        return self.W_o(mixed.flatten(2))
