from math import *
from torch import *
from torch.nn import *
from torch.nn.functional import softmax


class MultiHeadAttention(Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("d_model % h")
        self.h = h
        self.dk = d_model // h
        self.W_Q = Linear(d_model, d_model, bias=False)
        self.W_K = Linear(d_model, d_model, bias=False)
        self.W_V = Linear(d_model, d_model, bias=False)
        self.W_O = Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        n, t, d = Q.shape
        q = self.W_Q(Q).view(n, t, self.h, self.dk).transpose(1, 2)
        k = self.W_K(K).view(n, K.shape[1], self.h, self.dk).transpose(1, 2)
        v = self.W_V(V).view(n, V.shape[1], self.h, self.dk).transpose(1, 2)
        s = matmul(q, k.transpose(-1, -2)) / (self.dk ** 0.5)
        if mask is not None:
            s = where(mask, s, -inf)
        a = softmax(s, dim=-1)
        return self.W_O(matmul(a, v).transpose(1, 2).reshape(n, t, d)), a
