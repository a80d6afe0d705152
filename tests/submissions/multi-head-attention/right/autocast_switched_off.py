import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        q = self.W_Q(Q).view(B, T, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, -1, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, -1, self.h, self.d_k).transpose(1, 2)
        # scores and softmax always in the full precision of the inputs, even under autocast
        with torch.autocast("cuda" if Q.is_cuda else "cpu", enabled=False):
            q, k = q.to(Q.dtype), k.to(Q.dtype)
            scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
            if mask is not None:
                scores = scores.masked_fill(~mask, -math.inf)
            w = scores.softmax(-1)
        out = (w.to(v.dtype) @ v).transpose(1, 2).reshape(B, T, D)
        return self.W_O(out), w
