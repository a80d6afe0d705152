import torch
import torch.masked
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q = self.W_Q(Q).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        k = self.W_K(K).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        v = self.W_V(V).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        scores = q @ k.mT / self.d_k**0.5
        attn_w = torch.masked.softmax(scores, -1, mask=mask)  # True = counts
        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w
