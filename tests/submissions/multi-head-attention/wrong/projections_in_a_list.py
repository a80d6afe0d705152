import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model // h
        # W_Q, W_K, W_V, W_O
        self.layers = [nn.Linear(d_model, d_model, bias=False) for _ in range(4)]

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        W_Q, W_K, W_V, W_O = self.layers
        q = W_Q(Q).view(B, T, self.h, self.d_k).transpose(1, 2)
        k = W_K(K).view(B, K.shape[1], self.h, self.d_k).transpose(1, 2)
        v = W_V(V).view(B, V.shape[1], self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = scores.softmax(dim=-1)
        ctx = (attn_w @ v).transpose(1, 2).contiguous().view(B, T, D)
        return W_O(ctx), attn_w


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
