import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Works time-first inside, as older sequence code does."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        x = x.transpose(0, 1)  # (T, B, C)
        T, B, C = x.shape
        q, k, v = self.W_qkv(x).chunk(3, dim=-1)
        q = q.contiguous().view(T, B * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(T, B * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(T, B * self.num_heads, self.head_dim).transpose(0, 1)
        w = torch.bmm(q / self.head_dim**0.5, k.transpose(1, 2)).softmax(-1)
        out = torch.bmm(w, v).transpose(0, 1).contiguous().view(T, B, C)
        return self.W_o(out).transpose(0, 1)
