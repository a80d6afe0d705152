import math
from typing import Optional

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """h heads in parallel, then W_O mixes them."""

    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        assert d_model % h == 0, f"{d_model=} is not a multiple of {h=}"
        self.n_heads = h
        self.d_head = d_model // h
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2)

    def _merge(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Optional[Tensor] = None) -> tuple[Tensor, Tensor]:
        q = self._split(self.query(Q))  # (B, h, T_q, d_head)
        k = self._split(self.key(K))  # (B, h, T_k, d_head)
        v = self._split(self.value(V))  # (B, h, T_k, d_head)
        scores = q @ k.mT / math.sqrt(self.d_head)
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)  # (B, h, T_q, T_k)
        z = weights @ v
        return self.out(self._merge(z)), weights


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


print("parameters:", count_parameters(MultiHeadAttention(512, 8)))
