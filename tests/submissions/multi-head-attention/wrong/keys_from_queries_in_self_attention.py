import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("d_model must be divisible by h")
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
        k = self.W_K(Q if Q.shape == K.shape else K).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1)
        scores = scores / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        heads = weights @ v
        merged = heads.transpose(1, 2).reshape(B, T_q, D)
        output = self.W_O(merged)
        return output, weights
