import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
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
        q = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, T_k, self.h, self.d_k).transpose(1, 2)

        # scaled dot product
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_model)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)

        # put the heads side by side again
        context = torch.matmul(attn_w, v)
        context = context.contiguous().view(B, T_q, self.d_model)
        output = self.W_O(context)
        return output, attn_w


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
