import torch
import torch.nn as nn
from torch.nn.functional import softmax


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.d_model = d_model
        self.h = h
        self._validate()
        self.W_Q = self._matrix(d_model)
        self.W_K = self._matrix(d_model)
        self.W_V = self._matrix(d_model)
        self.W_O = self._matrix(d_model)

    def _validate(self):
        if self.d_model != self.d_k * self.h:
            raise ValueError("d_model must be h * d_k")

    @property
    def d_k(self):
        return self.d_model // self.h

    @property
    def temperature(self):
        return self.d_k ** 0.5

    @staticmethod
    def _matrix(n):
        return nn.Linear(in_features=n, out_features=n, bias=False)

    @staticmethod
    def _swap(x):
        return x.transpose(1, 2)

    def _heads(self, x):
        return self._swap(x.reshape(x.shape[0], x.shape[1], self.h, self.d_k))

    def _scores(self, Q, K):
        return self._heads(self.W_Q(Q)) @ self._heads(self.W_K(K)).transpose(-1, -2) / self.temperature

    def _weights(self, Q, K, mask):
        scores = self._scores(Q, K)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return softmax(scores, dim=-1)

    def forward(self, Q, K, V, mask=None):
        attn_w = self._weights(Q, K, mask)
        out = self._swap(attn_w @ self._heads(self.W_V(V))).flatten(2)
        return self.W_O(out), attn_w
