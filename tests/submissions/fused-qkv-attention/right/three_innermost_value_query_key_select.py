import torch
import torch.nn.functional as F
from torch import nn, Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.W_qkv(x).reshape(batch, length, self.num_heads, width // self.num_heads, 3)
        qkv = qkv.transpose(1, 2)
        value, query, key = qkv.select(-1, 0), qkv.select(-1, 1), qkv.select(-1, 2)
        half = (width // self.num_heads) ** -0.25
        attention = F.softmax((query * half) @ (key * half).transpose(-1, -2), -1)
        return self.W_o((attention @ value).transpose(1, 2).reshape_as(x))
