import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        fused = self.W_qkv(x).contiguous()
        strides = (T * 3 * D, self.d, 3 * D, 1)
        size = (B, self.h, T, self.d)
        k, q, v = (torch.as_strided(fused, size, strides, start) for start in (0, D, 2 * D))
        att = torch.softmax(q @ k.transpose(-2, -1) * self.d**-0.5, -1)
        return self.W_o((att @ v).permute(0, 2, 1, 3).reshape(B, T, D))
