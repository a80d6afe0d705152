import torch
from torch import nn


class Heads:
    """Keeps (h, d_k) and checks them on the way in."""
    def __set_name__(self, owner, name): self.name = '_' + name
    def __get__(self, obj, tp=None): return obj.__dict__[self.name]
    def __set__(self, obj, value):
        d_model, h = value
        if d_model % h: raise ValueError('indivisible')
        obj.__dict__[self.name] = (h, d_model // h)


class MultiHeadAttention(nn.Module):
    size = Heads()
    def __init__(self, d_model, h):
        super().__init__()
        self.size = d_model, h
        setattr(self, 'W_Q', nn.Linear(d_model, d_model, False))
        setattr(self, 'W_K', nn.Linear(d_model, d_model, False))
        setattr(self, 'W_V', nn.Linear(d_model, d_model, False))
        setattr(self, 'W_O', nn.Linear(d_model, d_model, False))
    def __getattr__(self, name):
        if name == 'scale':
            return self.size[1] ** -0.5
        return super().__getattr__(name)
    def forward(self, Q, K, V, mask=None):
        cut = lambda t: t.view(*t.shape[:2], *self.size).permute(0, 2, 1, 3)
        q, k, v = cut(self.W_Q(Q)), cut(self.W_K(K)), cut(self.W_V(V))
        s = (q * self.scale).matmul(k.transpose(-2, -1))
        if mask is not None:
            s = s.masked_fill(mask.logical_not(), torch.finfo(s.dtype).min)
        a = s.softmax(-1)
        return self.W_O((a @ v).permute(0, 2, 1, 3).reshape(Q.shape)), a
