import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.d_k = d_model // h
        self.rest = d_model - h * self.d_k
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        x = x[..., : self.h * self.d_k]  # drop what does not fit
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        q = self.split(self.W_Q(Q))
        k = self.split(self.W_K(K))
        v = self.split(self.W_V(V))
        att = (q @ k.transpose(2, 3)) * self.d_k ** -0.5
        if mask is not None:
            att = att.masked_fill(~mask, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).flatten(2)
        y = F.pad(y, (0, self.rest))
        return self.W_O(y), att
