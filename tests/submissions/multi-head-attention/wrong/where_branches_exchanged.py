import math
from typing import Optional

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        assert d_model % h == 0, f"{d_model=} is not a multiple of {h=}"
        self.n_heads = h
        self.d_head = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2)

    def _merge(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Optional[Tensor] = None) -> tuple[Tensor, Tensor]:
        q = self._split(self.W_Q(Q))
        k = self._split(self.W_K(K))
        v = self._split(self.W_V(V))
        scores = q @ k.mT / math.sqrt(self.d_head)
        if mask is not None:
            scores = torch.where(mask, torch.finfo(scores.dtype).min, scores)
        weights = scores.softmax(-1)
        z = weights @ v
        return self.W_O(self._merge(z)), weights


if __name__ == "__main__":
    torch.manual_seed(0)
    causal = torch.tril(torch.ones(5, 5)).bool()
    x = torch.randn(1, 5, 12)
    out, attn = MultiHeadAttention(12, 3)(x, x, x, causal)
    print(attn[0, 0])
