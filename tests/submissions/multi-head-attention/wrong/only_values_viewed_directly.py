import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Q, K, V: (batch, time, d_model)."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.d_model = d_model
        self.h = h
        self.d_k = d_model // h

        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T_q, _ = Q.shape
        T_k = K.shape[1]

        # project, then cut into heads: (B, T, d_model) -> (B, h, T, d_k)
        Qh = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        Kh = self.W_K(K).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        Vh = self.W_V(V).view(B, self.h, T_k, self.d_k)

        # scaled dot product
        logits = torch.matmul(Qh, Kh.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            logits = logits.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(logits, dim=-1)

        # put the heads side by side again
        context = torch.matmul(attn_w, Vh)
        context = context.transpose(1, 2).contiguous().view(B, T_q, self.d_model)
        output = self.W_O(context)
        return output, attn_w


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
