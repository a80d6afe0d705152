import torch
import torch.nn as nn
from torch import einsum


class MultiHeadAttention(nn.Module):
    """Q, K, V: (batch, time, d_model)."""

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
        q = self.W_Q(Q).reshape(b, t_q, self.h, self.d_k)
        k = self.W_K(K).reshape(b, t_k, self.h, self.d_k)
        v = self.W_V(V).reshape(b, t_k, self.h, self.d_k)

        logits = einsum("bihd,bjhd->bhji", q, k)
        logits = logits / (self.d_k ** 0.5)
        if mask is not None:
            logits = logits.masked_fill(mask.logical_not(), float("-inf"))
        probs = logits.softmax(dim=-1)

        out = einsum("bhij,bjhd->bihd", probs, v)
        out = out.reshape(b, t_q, self.h * self.d_k)
        return self.W_O(out), probs


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


print("parameters:", count_parameters(MultiHeadAttention(512, 8)))
