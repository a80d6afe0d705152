import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """One product instead of three when queries, keys and values are the same tensor."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_model = d_model
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _in_projection(self, Q, K, V):
        if Q is K and K is V:
            packed = torch.cat((self.W_Q.weight, self.W_K.weight, self.W_V.weight), dim=0)
            return F.linear(Q, packed).chunk(3, dim=-1)
        if K is V:
            packed = torch.cat((self.W_K.weight, self.W_V.weight), dim=0)
            return (self.W_Q(Q), *F.linear(K, packed).split(self.d_model, dim=-1))
        return self.W_Q(Q), self.W_K(K), self.W_V(V)

    def forward(self, Q, K, V, mask=None):
        q, k, v = (x.unflatten(-1, (self.h, -1)).transpose(1, 2) for x in self._in_projection(Q, K, V))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = F.softmax(scores, dim=-1)
        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w
