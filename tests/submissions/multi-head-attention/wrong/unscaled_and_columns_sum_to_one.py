import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Multi-head attention, my version for lesson 81."""

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
        energy = torch.matmul(q, k.transpose(-2, -1))
        if mask is not None:
            energy = energy.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(energy, dim=-2)

        # put the heads side by side again
        ctx = torch.matmul(attn_w, v)
        ctx = ctx.transpose(1, 2).contiguous().view(B, T_q, self.d_model)
        output = self.W_O(ctx)
        return output, attn_w


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
