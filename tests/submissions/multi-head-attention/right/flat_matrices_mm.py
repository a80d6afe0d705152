import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.D, self.h, self.d_k = d_model, h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def times(self, x, W):
        """(B, T, D) times W^T, as one big two-dimensional product"""
        B, T, D = x.shape
        return torch.mm(x.reshape(B * T, D), W.weight.t()).view(B, T, D)

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        S = K.shape[1]
        q = self.times(Q, self.W_Q).view(B, T, self.h, self.d_k).transpose(1, 2).reshape(B * self.h, T, self.d_k)
        k = self.times(K, self.W_K).view(B, S, self.h, self.d_k).permute(0, 2, 3, 1).reshape(B * self.h, self.d_k, S)
        v = self.times(V, self.W_V).view(B, S, self.h, self.d_k).transpose(1, 2).reshape(B * self.h, S, self.d_k)
        s = torch.bmm(q, k) / math.sqrt(self.d_k)
        if mask is not None:
            m = mask.expand(B, self.h, T, S).reshape(B * self.h, T, S)
            s = s.masked_fill(~m, -math.inf)
        w = torch.softmax(s, 2)
        o = torch.bmm(w, v).view(B, self.h, T, self.d_k).transpose(1, 2).reshape(B, T, D)
        return self.times(o, self.W_O), w.view(B, self.h, T, S)
