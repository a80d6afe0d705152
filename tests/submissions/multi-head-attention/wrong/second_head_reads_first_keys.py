import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def cut(self, x, shift=0):
        x = x.view(*x.shape[:2], self.h, self.d_k).transpose(1, 2)
        return x.roll(shift, dims=1)

    def forward(self, Q, K, V, mask=None):
        q = self.cut(self.W_Q(Q))
        k = self.cut(self.W_K(K), shift=1)
        v = self.cut(self.W_V(V))
        s = torch.matmul(q, k.transpose(-1, -2)) / self.d_k ** 0.5
        if mask is not None:
            s = torch.where(mask, s, s.new_tensor(-1e9))
        w = s.softmax(dim=-1)
        z = torch.matmul(w, v).transpose(1, 2).reshape(Q.shape)
        return self.W_O(z), w
