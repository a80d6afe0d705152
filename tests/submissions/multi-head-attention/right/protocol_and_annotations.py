from __future__ import annotations

from typing import Annotated, Final, Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor, nn

Tokens: TypeAlias = Annotated[Tensor, "B T d_model"]
Heads: TypeAlias = Annotated[Tensor, "B h T d_k"]
Weights: TypeAlias = Annotated[Tensor, "B h T_q T_k"]


@runtime_checkable
class Normaliser(Protocol):
    def __call__(self, scores: Tensor) -> Tensor: ...


class Softmax:
    """A Normaliser along the last axis."""

    dim: Final[int] = -1

    def __call__(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=self.dim)


class MultiHeadAttention(nn.Module):
    h: Final[int]
    d_k: Final[int]

    def __init__(self, d_model: int, h: int, normalise: Normaliser = Softmax()) -> None:
        super().__init__()
        if d_model % h:
            raise ValueError("h must divide d_model")
        if not isinstance(normalise, Normaliser):
            raise TypeError("normalise must be callable")
        self.h = h
        self.d_k = d_model // h
        self.normalise = normalise
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x: Tokens) -> Heads:
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)

    def merge(self, x: Heads) -> Tokens:
        return x.transpose(1, 2).flatten(-2)

    def forward(self, Q: Tokens, K: Tokens, V: Tokens, mask: Tensor | None = None) -> tuple[Tokens, Weights]:
        q: Heads = self.split(self.W_Q(Q))
        k: Heads = self.split(self.W_K(K))
        v: Heads = self.split(self.W_V(V))
        scores: Weights = q @ k.mT * self.d_k**-0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        attn_w: Weights = self.normalise(scores)
        return self.W_O(self.merge(attn_w @ v)), attn_w
