import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Rows 0, 3, 6, ... are queries, 1, 4, 7, ... values, 2, 5, 8, ... keys."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads has to divide d_model")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        fused = self.W_qkv(x)
        q = self.split(fused[..., 0::3])
        v = self.split(fused[..., 1::3])
        k = self.split(fused[..., 2::3])
        scores = q @ k.transpose(-2, -1) / k.size(-1) ** 0.5
        out = torch.softmax(scores, dim=-1) @ v
        B, h, T, d = out.shape
        return self.W_o(out.transpose(1, 2).reshape(B, T, h * d))

    def split(self, t):
        B, T, D = t.shape
        return t.reshape(B, T, self.num_heads, D // self.num_heads).transpose(1, 2)
