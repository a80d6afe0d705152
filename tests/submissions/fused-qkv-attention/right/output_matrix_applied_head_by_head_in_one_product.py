import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """W_o is seen as (d_model, h, d_k), so that the heads need not be laid side by side."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        k, v, q = self.W_qkv(x).unflatten(-1, (self.h, self.d_k, 3)).unbind(-1)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d_k**0.5
        out = self.W_o.weight.unflatten(1, (self.h, self.d_k))
        return torch.einsum("bhqk,bkhd,ohd->bqo", s.softmax(-1), v, out)
