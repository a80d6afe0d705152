import math
from typing import NamedTuple

import torch
from torch import nn


class Parts(NamedTuple):
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor

    def attend(self):
        scores = self.query @ self.key.transpose(-2, -1)
        scores = scores / math.sqrt(self.query.shape[-1])
        return scores.softmax(dim=-1) @ self.value


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is no multiple of num_heads={num_heads}")
        self.num_heads = num_heads
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)

    def cut(self, x):
        fused = self.W_qkv(x)
        fused = fused.unflatten(-1, (3, self.num_heads, -1))
        return Parts(*(part.transpose(1, 2) for part in fused.unbind(2)))

    def join(self, heads):
        return heads.transpose(1, 2).flatten(2)

    def forward(self, x):
        return self.W_o(self.join(self.cut(x).attend()))
