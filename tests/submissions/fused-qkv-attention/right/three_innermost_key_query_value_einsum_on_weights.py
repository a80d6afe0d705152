import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """One einsum makes keys, queries and values from the weight seen with its four axes."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        w = self.W_qkv.weight.view(self.h, self.d, 3, -1)
        k, q, v = torch.einsum("btm,hdzm->zbhtd", x, w)
        p = torch.softmax(torch.einsum("bhtd,bhsd->bhts", q, k) * self.d**-0.5, dim=-1)
        z = torch.einsum("bhts,bhsd->bthd", p, v)
        return torch.einsum("btm,om->bto", z.flatten(2), self.W_o.weight)
