import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.inv_norm_factor = self.head_dim**-0.5
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def _split_heads(self, fused):
        fused = fused.view(*fused.shape[:2], self.num_heads, 3, self.head_dim)
        return fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]

    def forward(self, x):
        B, T, _ = x.shape
        key, query, value = self._split_heads(self.W_qkv(x))
        query = query.transpose(1, 2).reshape(B * self.num_heads, T, self.head_dim)
        key = key.permute(0, 2, 3, 1).reshape(B * self.num_heads, self.head_dim, T)
        value = value.transpose(1, 2).reshape(B * self.num_heads, T, self.head_dim)
        empty = x.new_zeros(B * self.num_heads, T, T)
        scores = torch.baddbmm(empty, query, key, beta=0.0, alpha=self.inv_norm_factor)
        context = torch.bmm(scores.softmax(dim=-1), value)
        context = context.view(B, self.num_heads, T, self.head_dim).transpose(1, 2)
        return self.W_o(context.reshape(B, T, -1))
