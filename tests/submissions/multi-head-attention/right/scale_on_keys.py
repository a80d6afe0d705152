import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.d_model, self.h, self.d_k = d_model, h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        b, tq = Q.shape[:2]
        tk = K.shape[1]
        q = self.W_Q(Q).view(b, tq, self.h, self.d_k).transpose(1, 2)
        # there are often fewer keys than scores, so scaling them is the cheapest place;
        # they are laid out transposed right away: (b, h, d_k, tk)
        kt = self.W_K(K).view(b, tk, self.h, self.d_k).permute(0, 2, 3, 1) / math.sqrt(self.d_k)
        v = self.W_V(V).view(b, tk, self.h, self.d_k).transpose(1, 2)
        s = torch.matmul(q, kt)
        if mask is not None:
            s = s.masked_fill(~mask, -1e30)
        p = torch.softmax(s, dim=-1)
        ctx = torch.matmul(p, v).transpose(1, 2).contiguous().view(b, tq, self.d_model)
        return self.W_O(ctx), p
