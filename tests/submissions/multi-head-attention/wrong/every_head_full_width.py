import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model  # width of one head
        self.W_Q = nn.Linear(d_model, h * self.d_k, bias=False)
        self.W_K = nn.Linear(d_model, h * self.d_k, bias=False)
        self.W_V = nn.Linear(d_model, h * self.d_k, bias=False)
        self.W_O = nn.Linear(h * self.d_k, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, Tq, _ = Q.shape
        Tk = K.size(1)
        q = self.W_Q(Q).view(B, Tq, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, Tk, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, Tk, self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        w = torch.softmax(scores, dim=-1)
        ctx = (w @ v).transpose(1, 2).reshape(B, Tq, self.h * self.d_k)
        return self.W_O(ctx), w
