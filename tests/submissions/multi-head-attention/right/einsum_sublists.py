import torch
import torch.nn as nn

# axis numbers for einsum's list notation
B, TQ, TK, H, DK = range(5)


class MultiHeadAttention(nn.Module):
    """einsum with lists of axis numbers instead of letters."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("h does not divide d_model")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q = self.W_Q(Q).unflatten(2, (self.h, self.d_k))
        k = self.W_K(K).unflatten(2, (self.h, self.d_k))
        v = self.W_V(V).unflatten(2, (self.h, self.d_k))
        scores = torch.einsum(q, [B, TQ, H, DK], k, [B, TK, H, DK], [B, H, TQ, TK])
        scores = scores / self.d_k**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(3)
        mixed = torch.einsum(weights, [B, H, TQ, TK], v, [B, TK, H, DK], [B, TQ, H, DK])
        return self.W_O(mixed.flatten(2)), weights
