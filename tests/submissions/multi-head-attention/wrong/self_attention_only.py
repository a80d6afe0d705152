import torch
import torch.nn as nn
from torch import einsum


class MultiHeadAttention(nn.Module):
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
        t_k = t_q
        q = self.W_Q(Q).reshape(b, t_q, self.h, self.d_k)
        k = self.W_K(Q).reshape(b, t_k, self.h, self.d_k)
        v = self.W_V(Q).reshape(b, t_k, self.h, self.d_k)

        # i = query position, j = key position
        logits = einsum("bihd,bjhd->bhij", q, k)
        logits = logits / (self.d_k ** 0.5)
        if mask is not None:
            logits = logits.masked_fill(mask.logical_not(), float("-inf"))
        probs = logits.softmax(dim=-1)

        out = einsum("bhij,bjhd->bihd", probs, v)
        out = out.reshape(b, t_q, self.h * self.d_k)
        return self.W_O(out), probs


if __name__ == "__main__":
    torch.manual_seed(0)
    causal = torch.tril(torch.ones(5, 5)).bool()
    x = torch.randn(1, 5, 12)
    out, attn = MultiHeadAttention(12, 3)(x, x, x, causal)
    print(attn[0, 0])
