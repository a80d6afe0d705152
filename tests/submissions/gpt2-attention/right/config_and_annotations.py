from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Sizes:
    d_in: int
    d_out: int
    context_length: int
    nheads: int

    def __post_init__(self) -> None:
        if self.d_out % self.nheads:
            raise ValueError("the heads cannot share d_out evenly")

    @property
    def width(self) -> int:
        return self.d_out // self.nheads


class CausalMHA(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, nheads: int, dropout: float = 0.0, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.sizes = Sizes(d_in, d_out, context_length, nheads)
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out, bias=True)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def heads(self, projected: Tensor) -> Tensor:
        batch, tokens, _ = projected.shape
        return projected.view(batch, tokens, self.sizes.nheads, self.sizes.width).transpose(1, 2)

    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        tokens = q.shape[-2]
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.sizes.width)
        return torch.softmax(scores.masked_fill(~self.mask[:tokens, :tokens], -math.inf), dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        context = self.dropout(self.weights(q, k)) @ v
        return self.out(context.transpose(1, 2).flatten(2))
