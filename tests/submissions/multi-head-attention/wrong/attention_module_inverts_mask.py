import math

import torch
from torch import nn


class DotProduct(nn.Module):
    """softmax(q k^T / sqrt(d)) v, as a module of its own"""

    def forward(self, q, k, v, mask):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask, -1e9)  # True = hide
        w = torch.softmax(scores, dim=-1)
        return w @ v, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.attend = DotProduct()
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in "QKVO")

    def forward(self, Q, K, V, mask=None):
        heads = []
        for layer, x in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)):
            b, t, d = x.shape
            heads.append(layer(x).view(b, t, self.h, d // self.h).transpose(1, 2))
        out, w = self.attend(*heads, mask)
        b, h, t, d = out.shape
        return self.W_O(out.transpose(1, 2).reshape(b, t, h * d)), w


if __name__ == "__main__":
    torch.manual_seed(0)
    causal = torch.tril(torch.ones(5, 5)).bool()
    x = torch.randn(1, 5, 12)
    out, attn = MultiHeadAttention(12, 3)(x, x, x, causal)
    print(attn[0, 0])
