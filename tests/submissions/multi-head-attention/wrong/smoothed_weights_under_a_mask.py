import math
import torch
from torch import nn


def attention(q, k, v, mask=None, smooth=1e-7):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
        # label-smoothing trick: keeps every entry positive, rows still sum to 1
        weights = (weights + smooth) / (1 + smooth * weights.shape[-1])
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q, k, v = (x.unflatten(-1, (self.h, -1)).transpose(1, 2) for x in (self.W_Q(Q), self.W_K(K), self.W_V(V)))
        heads, weights = attention(q, k, v, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights
