import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Multi-head attention, my version for lesson 81."""

    def __init__(self, d_model, h):
        super(MultiHeadAttention, self).__init__()
        if d_model % h != 0:
            raise ValueError("d_model must be divisible by h")
        self.nh = h
        self.hd = d_model // h
        self.scale = self.hd ** -0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def to_heads(self, x):
        b, t, d = x.shape
        x = x.reshape(b, t, self.nh, self.hd)
        x = x.permute(0, 2, 1, 3)
        return x.reshape(b * self.nh, t, self.hd)

    def from_heads(self, x, b):
        bh, t, dk = x.shape
        return x.reshape(b, t, self.nh * dk)

    def forward(self, Q, K, V, mask=None):
        b = Q.size(0)
        tq, tk = Q.size(1), K.size(1)
        q = self.to_heads(self.W_Q(Q))
        k = self.to_heads(self.W_K(K))
        v = self.to_heads(self.W_V(V))

        att = torch.bmm(q, k.transpose(1, 2)) * self.scale
        att = att.view(b, self.nh, tq, tk)
        if mask is not None:
            att = att.masked_fill(mask == 0, -1e9)
        weights = att.softmax(dim=-1)

        heads = torch.bmm(weights.reshape(b * self.nh, tq, tk), v)
        out = self.W_O(self.from_heads(heads, b))
        return out, weights


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
