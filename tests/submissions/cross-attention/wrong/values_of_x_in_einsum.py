from math import sqrt
import torch
import torch.nn as nn
from torch import Tensor


class CrossAttention(nn.Module):
    """Self- or cross-attention."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.heads, self.width = num_heads, d_model // num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )
        self.scale = sqrt(self.width)

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        if memory is None:
            memory = x
        q = self.W_Q(x).unflatten(-1, (self.heads, self.width))
        k = self.W_K(memory).unflatten(-1, (self.heads, self.width))
        v = self.W_V(x).unflatten(-1, (self.heads, self.width))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        scores = scores / self.scale
        attn = scores.softmax(dim=-1)
        out = torch.einsum("bhqk,bkhd->bqhd", attn, v)
        return self.W_O(out.flatten(-2))
