import math
import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads, qkv_bias=False):
        super().__init__()
        if d_out % nheads != 0:
            raise ValueError("d_out % nheads != 0")
        self.nheads = nheads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def touched(self, weights):
        return weights

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (f(x).view(B, T, self.nheads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        w = self.touched(s.masked_fill(~self.mask[:T, :T], float("-inf")).softmax(-1))
        return self.out((w @ v).transpose(1, 2).reshape(B, T, -1))


class CausalMHA(Plain):
    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, nheads, qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def touched(self, weights):
        return self.dropout(weights)


if __name__ == "__main__":
    torch.manual_seed(123)
    layer = CausalMHA(768, 768, 1024, 12, 0.1)
    print(sum(p.numel() for p in layer.parameters()))
    print(layer(torch.randn(2, 5, 768)).shape)
