import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.dim = d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        mask = torch.tril(torch.ones((context_length, context_length), dtype=torch.uint8))
        self.register_buffer("mask", mask)

    def to_heads(self, t):
        B, n, _ = t.shape
        t = t.view(B, n, self.nheads, self.dim)
        return t

    def forward(self, x):
        B, n, d = x.shape
        q = self.to_heads(self.q(x)) / self.dim**0.5
        k = self.to_heads(self.k(x))
        v = self.to_heads(self.v(x))
        scores = torch.matmul(q, k.transpose(2, 3))
        scores = scores.masked_fill(self.mask[:n, :n] == 0, -1e9)
        weights = torch.softmax(scores, dim=3)
        result = torch.matmul(weights, v)
        result = result.reshape(B, n, d)
        return self.out(result)
