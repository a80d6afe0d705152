import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("uneven heads")
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_qkv.weight.requires_grad_(False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split_heads(self, t):
        B, T, _ = t.shape
        t = t.view(B, T, self.num_heads, self.d_k)
        return t.transpose(1, 2)

    def combine_heads(self, t):
        B, _, T, _ = t.shape
        t = t.transpose(1, 2)
        return t.reshape(B, T, self.d_model)

    def attention(self, q, k, v):
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        attn = torch.softmax(scores, dim=-1)
        return torch.matmul(attn, v)

    def forward(self, x):
        k, q, v = self.W_qkv(x).split(self.d_model, dim=-1)
        q = self.split_heads(q)
        k = self.split_heads(k)
        v = self.split_heads(v)
        out = self.attention(q, k, v)
        out = self.combine_heads(out)
        return self.W_o(out)
