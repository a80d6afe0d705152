import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    EPS = 1e-6

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"{d_model} is not divisible by {h}")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T_q, D = Q.shape
        T_k = K.shape[1]
        q = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = F.softmax(scores, dim=-1)
        attn_w = attn_w.clamp(min=self.EPS)  # no log of zero later on
        merged = (attn_w @ v).transpose(1, 2).reshape(B, T_q, D)
        return self.W_O(merged), attn_w
