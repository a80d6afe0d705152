"""Multi-head cross-attention.

``memory or x`` would be wrong, since a tensor has no truth value; ``memory is None`` asks what is meant.
"""

from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Attend from ``x`` to ``memory``.

    Do not return (output, weights): the block that calls this layer wants a tensor.
    """

    h: int
    d_k: int

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.W_K: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.W_V: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.W_O: nn.Linear = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, memory: Optional[Tensor] = None) -> Tensor:
        """(B, T_q, d_model), (B, T_k, d_model) -> (B, T_q, d_model)."""
        source: Tensor = x if memory is None else memory
        batch, queries, width = x.shape
        keys: int = source.shape[1]
        q: Tensor = self.W_Q(x).view(batch, queries, self.h, self.d_k).transpose(1, 2)
        k: Tensor = self.W_K(source).view(batch, keys, self.h, self.d_k).transpose(1, 2)
        v: Tensor = self.W_V(source).view(batch, keys, self.h, self.d_k).transpose(1, 2)
        scores: Tensor = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights: Tensor = torch.softmax(scores, dim=-1)
        context: Tensor = weights @ v
        return self.W_O(context.transpose(1, 2).reshape(batch, keys, width))
