import torch
import torch.nn as nn
from torch import einsum


class MultiHeadAttention(nn.Module):
    """h heads in parallel, then W_O mixes them."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"cannot share {d_model} features between {h} heads")
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        b, t_q, _ = Q.shape
        t_k = K.shape[1]
        q = self.W_Q(Q).reshape(b, self.h, t_q, self.d_k).transpose(1, 2)
        k = self.W_K(K).reshape(b, t_k, self.h, self.d_k)
        v = self.W_V(V).reshape(b, t_k, self.h, self.d_k)

        logits = einsum("bihd,bjhd->bhij", q, k)
        logits = logits / (self.d_k ** 0.5)
        if mask is not None:
            logits = logits.masked_fill(mask.logical_not(), float("-inf"))
        probs = logits.softmax(dim=-1)

        out = einsum("bhij,bjhd->bihd", probs, v)
        out = out.reshape(b, t_q, self.h * self.d_k)
        return self.W_O(out), probs


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
