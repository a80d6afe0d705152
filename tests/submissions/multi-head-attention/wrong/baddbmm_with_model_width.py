import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("bad number of heads")
        self.h = h
        self.d_k = d_model // h
        self.alpha = 1.0 / d_model ** 0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def fold(self, x):
        x = x.unflatten(2, (self.h, self.d_k)).movedim(2, 1)
        return x.flatten(0, 1)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.fold(self.W_Q(Q)), self.fold(self.W_K(K)), self.fold(self.W_V(V))
        nothing = q.new_zeros(1, 1, 1)
        att = torch.baddbmm(nothing, q, k.mT, beta=0, alpha=self.alpha)
        att = att.unflatten(0, (-1, self.h))
        if mask is not None:
            att = att.masked_fill(~mask, torch.finfo(att.dtype).min)
        att = att.softmax(dim=-1)
        y = torch.bmm(att.flatten(0, 1), v).unflatten(0, (-1, self.h))
        y = y.movedim(1, 2).flatten(2)
        return self.W_O(y), att


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
