import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h: raise ValueError
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.h = h
        # block mask of heads: no split at all, masked features instead
        self.register_buffer('sel', torch.block_diag(*[torch.ones(1, d_model // h)] * h), persistent=False)  # (h, D)
    def forward(self, Q, K, V, mask=None):
        q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)
        sel = self.sel.to(q.dtype)[None, :, None, :]
        s = (q[:, None] * sel) @ k[:, None].mT / (Q.shape[-1] // self.h) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -torch.inf)
        w = s.softmax(-1)
        o = ((w @ v[:, None]) * sel).sum(1)
        return self.W_O(o), w
