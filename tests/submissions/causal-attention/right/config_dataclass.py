from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Config:
    d: int
    nheads: int
    context_length: int

    def __post_init__(self):
        if self.d % self.nheads:
            raise ValueError(f"{self.nheads} heads cannot share {self.d} features")

    @property
    def head(self):
        return self.d // self.nheads


class CausalMHA(nn.Module):
    def __init__(self, d: int, nheads: int, context_length: int) -> None:
        super().__init__()
        self.config = Config(d, nheads, context_length)
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("causal", self._triangle(context_length))

    @staticmethod
    def _triangle(size: int) -> torch.Tensor:
        row = torch.arange(size)
        return row.unsqueeze(1) >= row

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] > self.config.context_length:
            raise ValueError("the sequence is too long")
        q, k, v = self._heads(self.q(x)), self._heads(self.k(x)), self._heads(self.v(x))
        weights = self._weights(q, k)
        return self.out(self._join(weights @ v))

    def _heads(self, t: torch.Tensor) -> torch.Tensor:
        return t.unflatten(-1, (self.config.nheads, self.config.head)).transpose(1, 2)

    def _weights(self, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        n = q.shape[-2]
        scores = q @ k.mT / self.config.head**0.5
        return scores.where(self.causal[:n, :n], scores.new_tensor(float("-inf"))).softmax(-1)

    @staticmethod
    def _join(t: torch.Tensor) -> torch.Tensor:
        return t.transpose(1, 2).flatten(2)
