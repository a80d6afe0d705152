import torch
import torch.nn as nn
from torch import einsum


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"cannot share {d_model} features between {h} heads")
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        b, n, _ = Q.shape
        m = K.shape[1]
        q = self.W_Q(Q).reshape(b, n, self.h, self.d_k)
        k = self.W_K(K).reshape(b, m, self.h, self.d_k)
        v = self.W_V(V).reshape(b, m, self.h, self.d_k)

        sim = einsum("bihd,bjhd->bhij", q, k)
        sim = sim / (self.d_k ** 0.5)
        if mask is not None:
            sim = sim.masked_fill(mask.logical_not(), float("-inf"))
        attn = sim.softmax(dim=-1)

        out = einsum("bhij,bjhd->bihd", attn, v)
        out = out.reshape(b, n, self.h * self.d_k)
        return self.W_O(out), attn


test = MultiHeadAttention(16, 4)
x = torch.randn(2, 3, 16)
print(test(x, x)[0].shape)
