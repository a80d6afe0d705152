import torch
import torch.nn as nn


class Scale(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


class SplitHeads(nn.Module):
    def __init__(self, h, d_k):
        super().__init__()
        self.unflatten = nn.Unflatten(2, (h, d_k))

    def forward(self, x):
        return self.unflatten(x).transpose(1, 2)


class MergeHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten(start_dim=2)

    def forward(self, x):
        return self.flatten(x.transpose(1, 2))


class MultiHeadAttention(nn.Module):
    """Everything is a layer; only four of them have weights."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.split = SplitHeads(h, d_model // h)
        self.merge = MergeHeads()
        self.scale = Scale((d_model // h) ** -0.5)
        self.softmax = nn.Softmax(dim=-1)
        self.to_q = nn.Sequential(self.W_Q, self.split, self.scale)
        self.to_k = nn.Sequential(self.W_K, self.split)
        self.to_v = nn.Sequential(self.W_V, self.split)
        self.to_out = nn.Sequential(self.merge, self.W_O, nn.Identity())

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.to_q(Q), self.to_k(K), self.to_v(V)
        scores = q @ k.transpose(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = self.softmax(scores)
        return self.to_out(attn_w @ v), attn_w
