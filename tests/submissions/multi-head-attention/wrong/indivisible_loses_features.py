import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.d_k = d_model // h
        inner = h * self.d_k
        self.W_Q = nn.Linear(d_model, inner, bias=False)
        self.W_K = nn.Linear(d_model, inner, bias=False)
        self.W_V = nn.Linear(d_model, inner, bias=False)
        self.W_O = nn.Linear(inner, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, Tq, Tk = Q.shape[0], Q.shape[1], K.shape[1]
        q = self.W_Q(Q).view(B, Tq, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, Tk, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, Tk, self.h, self.d_k).transpose(1, 2)
        scores = q.matmul(k.transpose(-1, -2)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = scores.softmax(-1)
        ctx = attn_w.matmul(v).transpose(1, 2).flatten(2)
        return self.W_O(ctx), attn_w


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


print("parameters:", count_parameters(MultiHeadAttention(512, 8)))
