import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

        def forward(self, Q, K, V, mask=None):
            def heads(x):
                return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)

            q, k, v = heads(self.W_Q(Q)), heads(self.W_K(K)), heads(self.W_V(V))
            s = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
            if mask is not None:
                s = s.masked_fill(~mask, float("-inf"))
            p = torch.softmax(s, -1)
            return self.W_O((p @ v).transpose(1, 2).flatten(2)), p
