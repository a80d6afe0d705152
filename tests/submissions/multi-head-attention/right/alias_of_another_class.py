import torch
import torch.nn as nn


class SelfOrCrossAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("no")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q = self.W_Q(Q).unflatten(2, (self.h, -1)).permute(0, 2, 1, 3)
        k_t = self.W_K(K).unflatten(2, (self.h, -1)).permute(0, 2, 3, 1)
        v = self.W_V(V).unflatten(2, (self.h, -1)).permute(0, 2, 1, 3)
        dots = q.matmul(k_t).mul(k_t.size(2) ** -0.5)
        if mask is not None:
            dots = dots.masked_fill(mask.bitwise_not(), float("-inf"))
        weights = dots.softmax(dim=3)
        return self.W_O(weights.matmul(v).permute(0, 2, 1, 3).flatten(2)), weights


MultiHeadAttention = SelfOrCrossAttention
MHA = MultiHeadAttention
