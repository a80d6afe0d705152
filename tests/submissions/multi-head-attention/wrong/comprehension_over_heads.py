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

    def one_head(self, q, k, v, mask):
        s = q @ k.transpose(1, 2) / self.d_k ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        w = s.softmax(-1)
        return w @ v, w

    def forward(self, Q, K, V, mask=None):
        q = self.W_Q(Q).chunk(self.h, dim=-1)
        k = self.W_K(K).chunk(self.h, dim=-1)
        v = self.W_V(V).chunk(self.h, dim=-1)
        if mask is not None:
            mask = mask.expand(Q.size(0), self.h, Q.size(1), K.size(1))
        pick = (lambda i: None) if mask is None else (lambda i: mask[:, i])
        results = [self.one_head(q[i], k[i], v[i], pick(i)) for i in range(self.h)]
        outs, maps = zip(*results)
        return self.W_O(torch.cat(outs, dim=-1)), torch.stack(maps, dim=1)


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
