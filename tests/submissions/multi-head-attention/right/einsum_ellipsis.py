import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.d_k, remainder = divmod(d_model, h)
        assert remainder == 0, f"{d_model} / {h} leaves {remainder}"
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        split = lambda x: x.view(*x.shape[:-1], self.h, self.d_k)
        q, k, v = split(self.W_Q(Q)), split(self.W_K(K)), split(self.W_V(V))
        sim = torch.einsum("...ihd, ...jhd -> ...hij", q, k) * (self.d_k ** -0.5)
        if mask is not None:
            max_neg_value = -torch.finfo(sim.dtype).max
            sim = sim.masked_fill(~mask, max_neg_value)
        attn = sim.softmax(dim=-1)
        out = torch.einsum("...hij, ...jhd -> ...ihd", attn, v)
        return self.W_O(out.reshape(*Q.shape)), attn
