import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """Rows: keys, queries, values."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scale = self.head_dim**-0.5
        self.W_qkv = nn.Linear(d_model, d_model * 3, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.size()
        key, query, value = self.W_qkv(x).chunk(3, dim=-1)
        key = key.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        query = query.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        attention = F.softmax(torch.matmul(query * self.scale, key.transpose(-2, -1)), dim=-1)
        joined = torch.matmul(attention, value).transpose(1, 2).contiguous().view(b, t, -1)
        return self.W_o(joined)
