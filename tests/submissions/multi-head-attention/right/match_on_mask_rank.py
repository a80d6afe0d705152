import math

import torch
import torch.nn as nn


def expand_mask(mask, batch, heads):
    match mask.dim():
        case 2:
            return mask[None, None, :, :]
        case 3:
            return mask[None, :, :, :]
        case 4:
            return mask
        case n:
            raise ValueError(f"a mask has 2, 3 or 4 axes, not {n}")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        match divmod(d_model, h):
            case (d_k, 0):
                self.d_k = d_k
            case (_, rest):
                raise ValueError(f"d_model / h leaves {rest}")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T, _ = Q.shape
        q = self.W_Q(Q).reshape(B, T, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).reshape(B, K.shape[1], self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).reshape(B, V.shape[1], self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        match mask:
            case None:
                pass
            case torch.Tensor():
                scores = scores.masked_fill(~expand_mask(mask, B, self.h), -math.inf)
            case _:
                raise TypeError("mask must be a tensor or None")
        attn_w = scores.softmax(dim=-1)
        return self.W_O((attn_w @ v).transpose(1, 2).reshape(B, T, self.h * self.d_k)), attn_w
