from abc import ABC, abstractmethod
import math

import torch
import torch.nn as nn


class AbstractAttention(nn.Module, ABC):
    """The recipe; how a score is made is left to the subclass."""

    def __init__(self, d_model, h):
        super().__init__()
        self.check(d_model, h)
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    @classmethod
    def check(cls, d_model, h):
        if d_model % h != 0:
            raise ValueError(f"{cls.__name__}: {d_model} % {h} = {d_model % h}")

    @abstractmethod
    def score(self, q, k): ...

    @abstractmethod
    def normalise(self, scores): ...

    def forward(self, Q, K, V, mask=None):
        q, k, v = self._split(self.W_Q(Q)), self._split(self.W_K(K)), self._split(self.W_V(V))
        s = self.score(q, k)
        if mask is not None:
            s = s.masked_fill(torch.logical_not(mask), -math.inf)
        w = self.normalise(s)
        return self.W_O(self._merge(w @ v)), w

    def _split(self, x):
        return x.view(*x.shape[:2], self.h, self.d_k).transpose(1, 2)

    def _merge(self, x):
        return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


class MultiHeadAttention(AbstractAttention):
    def score(self, q, k):
        return torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_k)

    def normalise(self, scores):
        return scores.softmax(dim=-1)
