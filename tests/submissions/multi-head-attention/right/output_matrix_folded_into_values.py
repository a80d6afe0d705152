import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """
    concat(heads) W_O is a sum over heads of (weights · values · its slice of W_O), so the slice may be
    applied to the values first ("OV circuit").
    """

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        split = lambda x: x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        q, k, v = split(self.W_Q(Q)), split(self.W_K(K)), split(self.W_V(V))
        w_o = self.W_O.weight.unflatten(1, (self.h, self.d_k)).permute(1, 2, 0)  # (h, d_k, d_model)
        ov = v @ w_o                                                             # (B, h, T_k, d_model)
        pattern = q @ k.mT / self.d_k**0.5
        if mask is not None:
            pattern = pattern.masked_fill(~mask, float("-inf"))
        pattern = pattern.softmax(-1)
        return (pattern @ ov).sum(dim=1), pattern
