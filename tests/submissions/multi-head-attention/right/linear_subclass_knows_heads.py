import torch
import torch.nn as nn


class HeadLinear(nn.Linear):
    """A bias-free square matrix that hands out (B, h, T, d_k)."""

    def __init__(self, d_model, h):
        super().__init__(d_model, d_model, bias=False)
        self.h = h

    def forward(self, x):
        y = super().forward(x)
        return y.view(x.shape[0], x.shape[1], self.h, -1).transpose(1, 2)


class MergeLinear(nn.Linear):
    """Takes (B, h, T, d_k) and hands out (B, T, d_model)."""

    def __init__(self, d_model):
        super().__init__(d_model, d_model, bias=False)

    def forward(self, x):
        return super().forward(x.transpose(1, 2).flatten(2))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model % h != 0")
        self.W_Q = HeadLinear(d_model, h)
        self.W_K = HeadLinear(d_model, h)
        self.W_V = HeadLinear(d_model, h)
        self.W_O = MergeLinear(d_model)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)
        scores = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)
        return self.W_O(torch.matmul(attn_w, v)), attn_w
