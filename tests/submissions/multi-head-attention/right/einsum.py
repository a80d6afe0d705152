import torch
from torch import nn, einsum


class MultiHeadAttention(nn.Module):
    """einsum all the way"""

    def __init__(self, d_model: int, h: int):
        super().__init__()
        if d_model % h:
            raise ValueError(f"{h} heads cannot share {d_model} features")
        self.h, self.d_k = h, d_model // h
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, Q, K, V, mask=None):
        wq = self.W_Q.weight.view(self.h, self.d_k, -1)
        wk = self.W_K.weight.view(self.h, self.d_k, -1)
        wv = self.W_V.weight.view(self.h, self.d_k, -1)
        wo = self.W_O.weight.view(-1, self.h, self.d_k)
        q = einsum("btd,hkd->bhtk", Q, wq)
        k = einsum("bsd,hkd->bhsk", K, wk)
        v = einsum("bsd,hkd->bhsk", V, wv)
        s = einsum("bhtk,bhsk->bhts", q, k) / self.d_k**0.5
        if mask is not None:
            s = s.masked_fill(mask.logical_not(), -torch.inf)
        a = s.softmax(-1)
        return einsum("bhts,bhsk,ohk->bto", a, v, wo), a
