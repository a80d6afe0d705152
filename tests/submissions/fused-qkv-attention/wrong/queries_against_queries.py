import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Three numbers per feature: its key, its value, its query."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        parts = self.W_qkv(x).view(B, T, self.h, self.d_k, 3)
        k, v, q = (part.transpose(1, 2) for part in parts.unbind(-1))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, q)
        scores = scores / self.d_k**0.5
        attn_w = scores.softmax(-1)
        context = torch.einsum("bhqk,bhkd->bhqd", attn_w, v)
        merged = context.transpose(1, 2).flatten(2)
        return self.W_o(merged)
