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
        # W_K is never applied to K as such: (q W_K) . K ; W_V after the mixing
        B, T, D = Q.shape
        q = self.W_Q(Q).view(B, T, self.h, self.d)
        qk = torch.einsum('bthd,hdm->bhtm', q, self.W_K.weight.view(self.h, self.d, D))
        s = torch.einsum('bhtm,bsm->bhts', qk, K) / self.d ** 0.5
        if mask is not None: s = s.masked_fill(~mask, -torch.inf)
        w = s.softmax(-1)
        mixed = torch.einsum('bhts,bsm->bhtm', w, V)
        o = torch.einsum('bhtm,hdm->bthd', mixed, self.W_V.weight.view(self.h, self.d, D))
        return self.W_O(o.reshape(B, T, D)), w
