import torch
from torch import nn

compose = lambda *fs: (lambda x: x if not fs else compose(*fs[:-1])(fs[-1](x)))
scaled = lambda q, k: q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
hide = lambda s, m: s if m is None else s.masked_fill(~m, float("-inf"))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.split = lambda x: x.view(x.size(0), x.size(1), h, d_model // h).transpose(1, 2)
        self.merge = lambda x: x.transpose(1, 2).reshape(x.size(0), x.size(2), d_model)
        self.W_Q, self.W_K, self.W_V, self.W_O = map(lambda _: nn.Linear(d_model, d_model, bias=False), range(4))

    def forward(self, Q, K, V, mask=None):
        q, k, v = (compose(self.split, w)(x) for w, x in zip((self.W_Q, self.W_K, self.W_V), (Q, K, V)))
        w = hide(scaled(q, k), mask).softmax(-1)
        return compose(self.W_O, self.merge)(w @ v), w
