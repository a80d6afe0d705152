import numpy as np
import torch
import torch.nn as nn

# I know numpy better than torch, so: swapaxes, concatenate, expand_dims thinking.


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert np.mod(d_model, h) == 0
        self.h = int(h)
        self.d_k = int(np.floor_divide(d_model, h))
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def heads(self, a):
        a = torch.reshape(a, (a.shape[0], a.shape[1], self.h, self.d_k))
        return torch.swapaxes(a, 1, 2)

    def forward(self, Q, K, V, mask=None):
        q = self.heads(self.W_Q(Q))
        k = self.heads(self.W_K(K))
        v = self.heads(self.W_V(V))
        s = torch.matmul(q, torch.swapaxes(k, -1, -2)) / float(np.sqrt(self.d_k))
        if mask is not None:
            s = torch.where(torch.logical_not(mask), -np.inf, s)
        s = s - torch.amax(s, dim=-1, keepdim=True)
        w = torch.exp(s)
        w = torch.divide(w, torch.sum(w, dim=-1, keepdim=True))
        o = torch.swapaxes(torch.matmul(w, v), 1, 2)
        o = torch.reshape(o, (o.shape[0], o.shape[1], self.h * self.d_k))
        return self.W_O(o), w
