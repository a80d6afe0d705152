import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h: raise ValueError('no')
        self.h, self.d = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
    def forward(self, Q, K, V, mask=None):
        # unfold along features, softmax normalised AFTER the mixing (divide output by the sum)
        f = lambda t: t.unfold(2, self.d, self.d).transpose(1, 2)
        q, k, v = f(self.W_Q(Q)), f(self.W_K(K)), f(self.W_V(V))
        s = q @ k.mT / self.d ** 0.5
        if mask is not None: s = s.masked_fill(~mask, -torch.inf)
        e = torch.exp(s - s.amax(-1, keepdim=True).detach())
        z = e.sum(-1, keepdim=True)
        o = (e @ v) / z
        return self.W_O(o.transpose(1, 2).reshape(Q.shape)), e / z
