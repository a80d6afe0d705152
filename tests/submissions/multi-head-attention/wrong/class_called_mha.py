import math
from typing import Optional

import torch
from torch import Tensor, nn


class MHA(nn.Module):
    """Q, K, V: (batch, time, d_model)."""

    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        assert d_model % h == 0, f"{d_model=} is not a multiple of {h=}"
        self.heads = h
        self.width = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, self.width)).transpose(1, 2)

    def _merge(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Optional[Tensor] = None) -> tuple[Tensor, Tensor]:
        q = self._split(self.W_Q(Q))
        k = self._split(self.W_K(K))
        v = self._split(self.W_V(V))
        raw = q @ k.mT / math.sqrt(self.width)
        if mask is not None:
            raw = torch.where(mask, raw, torch.finfo(raw.dtype).min)
        attn_w = raw.softmax(-1)
        mixed = attn_w @ v
        return self.W_O(self._merge(mixed)), attn_w
