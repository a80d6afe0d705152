import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class CausalMHA(nn.Module):
    def __init__(self, d_in: int, d_out: int, context_length: int, nheads: int,
                 dropout: float = 0.0, qkv_bias: bool = False):
        super().__init__()
        if d_out % nheads:
            raise ValueError(f"d_out = {d_out} does not split into {nheads} heads")
        self.h = nheads
        self.rate = dropout
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out, bias=True)
        self.register_buffer("future", torch.ones(context_length, context_length).triu(1) * float("-inf"))

    def forward(self, x):
        T = x.shape[1]
        Q = self.q(x).unflatten(-1, (self.h, -1))
        K = self.k(x).unflatten(-1, (self.h, -1))
        V = self.v(x).unflatten(-1, (self.h, -1))
        S = torch.einsum("bihd,bjhd->bhij", Q, K) / math.sqrt(Q.size(-1))
        S = S + self.future[:T, :T]
        W = S.softmax(dim=-1)
        if self.training and self.rate > 0:
            keep = torch.rand_like(W) >= self.rate
            W = W * keep / (1 - self.rate)
        Y = torch.einsum("bhij,bjhd->bihd", W, V)
        return self.out(Y.flatten(2))
