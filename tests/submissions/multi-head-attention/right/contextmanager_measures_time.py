import math
import time
from contextlib import contextmanager, nullcontext

import torch
import torch.nn as nn

VERBOSE = True


@contextmanager
def stage(name, times):
    start = time.perf_counter()
    try:
        yield
    finally:
        times[name] = times.get(name, 0.0) + time.perf_counter() - start


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.times = {}
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _stage(self, name):
        return stage(name, self.times) if VERBOSE else nullcontext()

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        with self._stage("project"):
            q = self.W_Q(Q).view(B, T, self.h, self.d_k).transpose(1, 2)
            k = self.W_K(K).view(B, -1, self.h, self.d_k).transpose(1, 2)
            v = self.W_V(V).view(B, -1, self.h, self.d_k).transpose(1, 2)
        with self._stage("scores"):
            scores = q @ k.transpose(-2, -1)
            scores = scores / math.sqrt(self.d_k)
            if mask is not None:
                scores = scores.masked_fill(~mask, float("-inf"))
        with self._stage("softmax"):
            attn_w = scores.softmax(dim=-1)
        with self._stage("mix"):
            out = (attn_w @ v).transpose(1, 2).contiguous().view(B, T, D)
        return self.W_O(out), attn_w


layer = MultiHeadAttention(16, 4)
x = torch.randn(2, 3, 16)
layer(x, x, x)
print({name: f"{1e6 * t:.0f} us" for name, t in layer.times.items()})
