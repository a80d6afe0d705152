import math
import torch
import torch.nn as nn
import torch.nn.functional as F


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
        q = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, K.size(1), self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, V.size(1), self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
            attn_w = F.softmax(scores, dim=-1)
            attn_w = F.dropout(attn_w, p=0.1, training=self.training)
        else:
            attn_w = F.softmax(scores, dim=-1)
        output = self.W_O((attn_w @ v).transpose(1, 2).reshape(B, T_q, D))
        return output, attn_w
