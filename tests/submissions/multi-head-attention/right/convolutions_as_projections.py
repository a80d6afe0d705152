import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """I come from vision: a linear layer is a convolution with kernel size 1."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "channels must be divisible by heads"
        self.heads = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    @staticmethod
    def conv(x, layer):
        return F.conv1d(x, layer.weight.unsqueeze(-1))

    def forward(self, Q, K, V, mask=None):
        b, n, c = Q.shape
        q = self.conv(Q.transpose(1, 2), self.W_Q).view(b, self.heads, c // self.heads, -1)   # b h c n
        k = self.conv(K.transpose(1, 2), self.W_K).view(b, self.heads, c // self.heads, -1)   # b h c m
        v = self.conv(V.transpose(1, 2), self.W_V).view(b, self.heads, c // self.heads, -1)   # b h c m

        sim = torch.einsum("b h c i, b h c j -> b h i j", q, k) * (c // self.heads) ** -0.5
        if mask is not None:
            sim = sim.masked_fill(~mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = torch.einsum("b h i j, b h c j -> b h c i", attn, v).reshape(b, c, n)
        return self.conv(out, self.W_O).transpose(1, 2), attn
