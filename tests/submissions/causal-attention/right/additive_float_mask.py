import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalMHA(nn.Module):
    """Keeps a table of 0 and -inf and adds it to the scores."""

    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0, "d must be divisible by nheads"
        self.nheads = nheads
        self.head_dim = d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("bias", torch.full((context_length, context_length), float("-inf")).triu(1))

    def forward(self, x):
        batch, tokens, width = x.shape
        shape = (batch, tokens, self.nheads, self.head_dim)
        q = self.q(x).reshape(shape).permute(0, 2, 1, 3)
        k = self.k(x).reshape(shape).permute(0, 2, 3, 1)
        v = self.v(x).reshape(shape).permute(0, 2, 1, 3)
        attention = F.softmax(q @ k * self.head_dim**-0.5 + self.bias[:tokens, :tokens], dim=-1)
        return self.out((attention @ v).permute(0, 2, 1, 3).reshape(batch, tokens, width))
