import math

import torch
from torch import nn


class HeadsMixin:
    def to_heads(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, -1).transpose(1, 2)

    def from_heads(self, t):
        return t.transpose(1, 2).reshape(t.size(0), t.size(2), -1)


class Base(HeadsMixin, nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model} features, {num_heads} heads: {rest} left over")
        self.num_heads = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def keys_from(self, x, memory):
        raise NotImplementedError


class CrossAttention(Base):
    def keys_from(self, x, memory):
        return x if memory is None else memory

    def forward(self, x, memory=None):
        y = self.keys_from(x, memory)
        q, k, v = self.to_heads(self.W_Q(x)), self.to_heads(self.W_K(y)), self.to_heads(self.W_V(y))
        a = torch.softmax(torch.matmul(q, k.mT) / math.sqrt(self.d_k), -1)
        return self.W_O(self.from_heads(a @ v))
