import torch
from torch import nn


class CrossAttention(nn.Module):
    """Queries from x, keys and values from memory."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def split_heads(self, t):
        batch, length, _ = t.size()
        return t.reshape(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def merge_heads(self, t):
        batch, _, length, _ = t.size()
        return t.permute(0, 2, 1, 3).reshape(batch, length, self.d_model)

    def attend(self, q, k, v):
        scores = q @ k.mT * self.head_dim**-0.5
        return scores.softmax(dim=-1) @ v

    def forward(self, x, memory=None):
        source = x if memory is None else memory
        q, k, v = map(self.split_heads, (self.W_Q(x), self.W_K(source), self.W_V(source)))
        return self.W_O(self.merge_heads(self.attend(q, k, v)))
