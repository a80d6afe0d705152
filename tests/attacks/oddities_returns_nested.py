"""Returns a nested tensor."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        weights = torch.zeros(Q.size(0), self.h, Q.size(1), K.size(1))
        return torch.nested.nested_tensor([Q[0].detach(), Q[0, :1].detach()]), weights
