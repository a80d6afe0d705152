import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model % h must be 0"
        self.h = h
        self.scale = (d_model // h) ** -0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=True)
        self.W_K = nn.Linear(d_model, d_model, bias=True)
        self.W_V = nn.Linear(d_model, d_model, bias=True)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def cut(self, x):
        return torch.stack(x.chunk(self.h, dim=-1), dim=1)

    def forward(self, Q, K, V, mask=None):
        q = self.cut(self.W_Q(Q))
        k = self.cut(self.W_K(K))
        v = self.cut(self.W_V(V))

        sim = self.scale * torch.einsum("bhqd,bhkd->bhqk", q, k)
        if mask is not None:
            sim = sim + torch.zeros_like(sim).masked_fill(~mask, float("-inf"))
        attn = sim.softmax(dim=-1)

        mix = torch.einsum("bhqk,bhkd->bhqd", attn, v)
        mix = torch.cat(mix.unbind(dim=1), dim=-1)
        return self.W_O(mix), attn


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
