import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """(B, T, D) in, (B, T, D) out."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"d_model={d_model} cannot be divided into h={h} heads")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        projected = [self.W_Q(Q), self.W_K(K), self.W_V(V)]
        q, k, v = [p.unflatten(-1, (self.h, -1)).movedim(-2, 1) for p in projected]
        att = q @ k.mT * q.size(-1) ** -0.5
        if mask is not None:
            att = att.where(mask, float("-inf"))
        att = att.softmax(-1)
        mixed = att @ v
        mixed = mixed.reshape_as(projected[0])
        return self.W_O(mixed), att


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
