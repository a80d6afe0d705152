import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model must be divisible by h"
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def get_keys(self, K):
        keys = self.W_K(K).view(K.shape[0], K.shape[1], self.h, self.d_k)
        return keys.permute(0, 2, 3, 1) / math.sqrt(self.d_k)  # (B, h, d_k, T_k)

    def get_heads(self, layer, x):
        return layer(x).view(x.shape[0], x.shape[1], self.h, self.d_k).permute(0, 2, 1, 3)

    def forward(self, Q, K, V, mask=None):
        scores = self.get_heads(self.W_Q, Q) @ self.get_keys(K)
        scores = scores / math.sqrt(self.d_k)
        if mask is not None:
            scores[~mask.expand_as(scores)] = float("-inf")
        attn_w = torch.softmax(scores, dim=-1)
        heads = attn_w @ self.get_heads(self.W_V, V)
        concat = heads.permute(0, 2, 1, 3).flatten(2)
        return self.W_O(concat), attn_w


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


print("parameters:", count_parameters(MultiHeadAttention(512, 8)))
