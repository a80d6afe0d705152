import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Works on (h, B, T, d_k): a head is simply one more, outermost batch axis."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def heads_first(self, x):
        return x.unflatten(-1, (self.h, -1)).movedim(-2, 0)

    def forward(self, Q, K, V, mask=None):
        q = self.heads_first(self.W_Q(Q))
        k = self.heads_first(self.W_K(K))
        v = self.heads_first(self.W_V(V))
        scores = (q @ k.transpose(-1, -2)).movedim(0, 1) / (q.shape[-1] ** 0.5)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = scores.softmax(dim=-1)
        out = attn_w.movedim(1, 0) @ v                   # (h, B, T, d_k)
        out = out.movedim(0, -2).flatten(-2)             # (B, T, h*d_k)
        return self.W_O(out), attn_w
