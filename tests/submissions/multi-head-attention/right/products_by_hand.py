import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """No matmul between tokens at all: multiply and sum with broadcasting."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model must be divisible by h"
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.h, self.d_k).permute(0, 2, 1, 3)

    def forward(self, Q, K, V, mask=None):
        q = self.split(self.W_Q(Q))
        k = self.split(self.W_K(K))
        v = self.split(self.W_V(V))
        # (B,h,Tq,1,dk) * (B,h,1,Tk,dk) -> sum over dk
        scores = (q[:, :, :, None, :] * k[:, :, None, :, :]).sum(-1)
        scores = scores / torch.sqrt(torch.tensor(self.d_k, dtype=scores.dtype, device=scores.device))
        if mask is not None:
            scores = scores.masked_fill(mask == False, -float("inf"))
        w = nn.functional.softmax(scores, dim=-1)
        # (B,h,Tq,Tk,1) * (B,h,1,Tk,dk) -> sum over Tk
        out = (w[..., None] * v[:, :, None]).sum(dim=3)
        out = out.permute(0, 2, 1, 3).reshape(Q.shape)
        return self.W_O(out), w
