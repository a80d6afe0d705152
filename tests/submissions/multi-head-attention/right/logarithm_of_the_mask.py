import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        q = self.W_Q(Q).view(B, T, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, K.size(1), self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, V.size(1), self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores + mask.to(scores.dtype).log()   # log 1 = 0, log 0 = -inf
        attn_w = torch.softmax(scores, dim=-1)
        out = (attn_w @ v).transpose(1, 2).contiguous().view(B, T, D)
        return self.W_O(out), attn_w
