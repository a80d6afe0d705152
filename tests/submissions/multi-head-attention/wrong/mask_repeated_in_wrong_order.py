import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    # heads are folded into the batch: (B, T, D) -> (B*h, T, D/h)
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.h, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(-1, self.h, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, Q, K, V, mask=None):
        B, Tq, Tk = Q.shape[0], Q.shape[1], K.shape[1]
        q = self.transpose_qkv(self.W_Q(Q))
        k = self.transpose_qkv(self.W_K(K))
        v = self.transpose_qkv(self.W_V(V))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
        if mask is not None:
            mask = mask.expand(B, self.h, Tq, Tk).transpose(0, 1).reshape(-1, Tq, Tk)
            scores = scores.masked_fill(~mask, -1e6)
        weights = torch.softmax(scores, dim=-1)
        out = self.transpose_output(torch.bmm(weights, v))
        return self.W_O(out), weights.view(B, self.h, Tq, Tk)
