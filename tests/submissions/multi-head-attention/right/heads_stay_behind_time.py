"""The (B, T, h, d) layout of JAX libraries: nothing is ever transposed by hand."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by h ({h})")
        self.num_heads = h
        self.head_dim = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _project(self, layer, x):
        return layer(x).view(x.shape[0], x.shape[1], self.num_heads, self.head_dim)

    def forward(self, Q, K, V, mask=None):
        query = self._project(self.W_Q, Q)   # (B, Tq, h, d)
        key = self._project(self.W_K, K)     # (B, Tk, h, d)
        value = self._project(self.W_V, V)   # (B, Tk, h, d)

        query = query / self.head_dim ** 0.5
        attn = torch.einsum("bqhd,bkhd->bhqk", query, key)
        if mask is not None:
            big_neg = torch.finfo(attn.dtype).min
            attn = torch.where(mask, attn, torch.full_like(attn, big_neg))
        attn = F.softmax(attn, dim=-1)

        out = torch.einsum("bhqk,bkhd->bqhd", attn, value)
        return self.W_O(out.flatten(start_dim=-2)), attn
