import torch
from torch import nn, einsum


class MultiHeadAttention(nn.Module):
    """No reshaping of activations: the weights are viewed per head instead."""

    def __init__(self, d_model: int, h: int):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model has to be a multiple of h")
        self.h, self.d_k = h, d_model // h
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def per_head(self, layer):
        return layer.weight.view(self.h, self.d_k, -1)

    def forward(self, Q, K, V, mask=None):
        q = einsum("btd,hkd->bhtk", Q, self.per_head(self.W_Q))
        k = einsum("bsd,hkd->bhsk", K, self.per_head(self.W_K))
        v = einsum("bsd,hkd->bhsk", V, self.per_head(self.W_V))
        logits = einsum("bhtk,bhsk->bhts", q, k)
        if mask is not None:
            logits = logits.masked_fill(~mask, -torch.inf)
        a = logits.softmax(-1)
        w_o = self.W_O.weight.view(-1, self.h, self.d_k)
        return einsum("bhts,bhsk,ohk->bto", a, v, w_o), a


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
