import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super(MultiHeadAttention, self).__init__()
        if d_model % h != 0:
            raise ValueError("d_model must be divisible by h")
        self.num_heads = h
        self.head_dim = d_model // h
        self.scale = self.head_dim ** -0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def to_heads(self, x):
        b, t, d = x.shape
        x = x.reshape(b, t, self.num_heads, self.head_dim)
        x = x.permute(0, 2, 1, 3)
        return x.reshape(b * self.num_heads, t, self.head_dim)

    def from_heads(self, x, b):
        bh, t, dk = x.shape
        x = x.reshape(b, self.num_heads, t, dk)
        x = x.permute(0, 2, 1, 3)
        return x.reshape(b, t, self.num_heads * dk)

    def forward(self, Q, K, V, mask=None):
        b = Q.size(0)
        tq, tk = Q.size(1), K.size(1)
        q = self.to_heads(self.W_Q(Q))
        k = self.to_heads(self.W_K(K))
        v = self.to_heads(self.W_V(V))

        scores = torch.bmm(q, k.transpose(1, 2)) * self.scale
        scores = scores.view(b, self.num_heads, tq, tk)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=1)

        heads = torch.bmm(weights.reshape(b * self.num_heads, tq, tk), v)
        out = self.W_O(self.from_heads(heads, b))
        out = nn.functional.layer_norm(out, out.shape[-1:])
        return out, weights
