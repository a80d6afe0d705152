import math

import torch
import torch.nn as nn

LOG2_E = math.log2(math.e)


class MultiHeadAttention(nn.Module):
    """exp(x) == 2 ** (x * log2(e)); GPU kernels prefer powers of two."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model // h
        self.scale = LOG2_E / math.sqrt(self.d_k)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, M, _ = Q.shape
        N = K.shape[1]
        q = self.W_Q(Q).view(B, M, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, N, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, N, self.h, self.d_k).transpose(1, 2)
        qk = (q @ k.mT) * self.scale
        if mask is not None:
            qk = qk.masked_fill(~mask, float("-inf"))
        m_i = qk.max(dim=-1, keepdim=True).values
        p = torch.exp2(qk - m_i)
        l_i = p.sum(-1, keepdim=True)
        p = p / l_i
        acc = p @ v
        return self.W_O(acc.transpose(1, 2).reshape(B, M, self.h * self.d_k)), p
