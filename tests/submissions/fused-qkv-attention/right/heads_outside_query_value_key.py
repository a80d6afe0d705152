import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert not d_model % num_heads
        self.h, self.d = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, v, k = self.W_qkv(x).unflatten(-1, (self.h, 3, self.d)).unbind(-2)  # (B, T, h, d)
        a = torch.einsum("bihd,bjhd->bhij", q, k).div(self.d**0.5).softmax(-1)
        return self.W_o(torch.einsum("bhij,bjhd->bihd", a, v).flatten(-2))
