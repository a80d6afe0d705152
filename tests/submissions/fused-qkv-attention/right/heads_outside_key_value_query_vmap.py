import torch
from torch import nn


def single_head(q, k, v):
    weights = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1)
    return weights @ v


class MultiHeadAttention(nn.Module):
    """vmap over samples, and over heads within them."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven split")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        parts = self.W_qkv(x).unflatten(-1, (self.num_heads, 3, -1))  # (B, T, h, 3, d)
        k, v, q = parts.unbind(3)
        all_heads = torch.vmap(single_head, in_dims=1, out_dims=1)
        per_sample = torch.vmap(all_heads)
        return self.W_o(per_sample(q, k, v).flatten(2))
