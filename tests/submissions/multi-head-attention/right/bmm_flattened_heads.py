import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Heads folded into the batch, as older code does it."""

    def __init__(self, d_model, h):
        super(MultiHeadAttention, self).__init__()
        assert d_model % h == 0
        self.num_heads = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _fold(self, x):
        b, t, d = x.shape
        x = x.reshape(b, t, self.num_heads, self.d_k).permute(0, 2, 1, 3)
        return x.reshape(b * self.num_heads, t, self.d_k)

    def forward(self, Q, K, V, mask=None):
        b, tq, d = Q.shape
        tk = K.shape[1]
        q = self._fold(self.W_Q(Q))
        k = self._fold(self.W_K(K))
        v = self._fold(self.W_V(V))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_k)
        scores = scores.view(b, self.num_heads, tq, tk)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        ctx = torch.bmm(weights.view(b * self.num_heads, tq, tk), v)
        ctx = ctx.view(b, self.num_heads, tq, self.d_k).permute(0, 2, 1, 3).reshape(b, tq, d)
        return self.W_O(ctx), weights
