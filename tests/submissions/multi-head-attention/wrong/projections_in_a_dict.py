import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("h must divide d_model")
        self.h = h
        self.d_k = d_model // h
        self.W = {
            "Q": nn.Linear(d_model, d_model, bias=False),
            "K": nn.Linear(d_model, d_model, bias=False),
            "V": nn.Linear(d_model, d_model, bias=False),
        }
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def project(self, name, x):
        x = self.W[name](x)
        return x.view(x.size(0), x.size(1), self.h, self.d_k).permute(0, 2, 1, 3)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.project("Q", Q), self.project("K", K), self.project("V", V)
        s = torch.einsum("bhid,bhjd->bhij", q, k) / self.d_k ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        a = torch.softmax(s, dim=3)
        y = torch.einsum("bhij,bhjd->bihd", a, v).flatten(2)
        return self.W_O(y), a
