import numpy as np
import torch
import torch.nn as nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, d_k):
        super().__init__()
        self.d_k = d_k
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q, k, v, mask):
        attn = torch.matmul(q, k.transpose(-1, -2)) / float(np.power(self.d_k, 0.5))
        if mask is not None:
            attn = attn.masked_fill(mask == 0, -1e9)
        attn = self.softmax(attn)
        return torch.matmul(attn, v), attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.n_head = h
        self.d_k = self.d_v = d_model // h
        self.W_Q = nn.Linear(d_model, h * self.d_k, bias=False)
        self.W_K = nn.Linear(d_model, h * self.d_k, bias=False)
        self.W_V = nn.Linear(d_model, h * self.d_v, bias=False)
        self.W_O = nn.Linear(h * self.d_v, d_model, bias=False)
        self.attention = ScaledDotProductAttention(self.d_k)

    def forward(self, Q, K, V, mask=None):
        d_k, d_v, n_head = self.d_k, self.d_v, self.n_head
        sz_b, len_q, len_k, len_v = Q.size(0), Q.size(1), K.size(1), V.size(1)

        # Pass through the pre-attention projection: b x lq x (n*dv)
        # Separate different heads: b x lq x n x dv
        q = self.W_Q(Q).view(sz_b, len_q, n_head, d_k)
        k = self.W_K(K).view(sz_b, len_k, n_head, d_k)
        v = self.W_V(V).view(sz_b, len_v, n_head, d_v)

        # Transpose for attention dot product: b x n x lq x dv
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        q, attn = self.attention(q, k, v, mask=mask)

        # Combine the last two dimensions to concatenate all the heads together: b x lq x (n*dv)
        q = q.transpose(1, 2).contiguous().view(sz_b, len_q, -1)
        q = self.W_O(q)
        return q, attn
