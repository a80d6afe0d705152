import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.d_model, self.h = d_model, h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
    def forward(self, Q, K, V, mask=None):
        # refuses in forward only
        if self.d_model % self.h:
            raise RuntimeError("d_model not divisible by h")
        d = self.d_model // self.h
        # as_strided tricks on own contiguous tensors
        def cut(t):
            t = t.contiguous(); B, T, D = t.shape
            return torch.as_strided(t, (B, self.h, T, d), (T * D, d, D, 1), t.storage_offset())
        q, k, v = cut(self.W_Q(Q)), cut(self.W_K(K)), cut(self.W_V(V))
        s = q @ k.mT * d ** -0.5
        if mask is not None:
            s = s.masked_fill(~mask, float('-inf'))
        w = s.softmax(-1)
        y = torch.empty(Q.shape[0], Q.shape[1], self.h, d, dtype=w.dtype, device=w.device)
        y.transpose(1, 2).copy_(w @ v)
        return self.W_O(y.view(Q.shape[0], Q.shape[1], -1)), w
