from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
import torch.nn as nn
from torch import Tensor


@dataclass(frozen=True)
class AttentionConfig:
    """Everything the layer has to know about its sizes."""

    d_model: int
    num_heads: int
    bias: bool = False
    tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.num_heads <= 0:
            raise ValueError(f"num_heads must be positive, got {self.num_heads}")
        if self.d_model % self.num_heads:
            raise ValueError(f"d_model={self.d_model} is not a multiple of num_heads={self.num_heads}")

    @property
    def head_dim(self) -> int:
        return self.d_model // self.num_heads

    @property
    def scale(self) -> float:
        return 1.0 / math.sqrt(self.head_dim)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        self.config = AttentionConfig(d_model=d_model, num_heads=h)
        cfg = self.config
        self.W_Q = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.W_K = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.W_V = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.W_O = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)

    def _to_heads(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.reshape(batch, length, self.config.num_heads, self.config.head_dim).permute(0, 2, 1, 3)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        queries = self._to_heads(self.W_Q(Q))
        keys = self._to_heads(self.W_K(K))
        values = self._to_heads(self.W_V(V))

        logits = torch.matmul(queries, keys.permute(0, 1, 3, 2)).mul(self.config.scale)
        if mask is not None:
            logits = logits.masked_fill(mask.logical_not(), float("-inf"))
        attn_w = logits.softmax(dim=-1)

        context = torch.matmul(attn_w, values).permute(0, 2, 1, 3)
        return self.W_O(context.reshape(*Q.shape[:2], self.config.d_model)), attn_w
