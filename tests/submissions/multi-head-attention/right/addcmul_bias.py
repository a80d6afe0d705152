import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, Tq, D = Q.shape
        q = self.W_Q(Q).reshape(B, Tq, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).reshape(B, -1, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).reshape(B, -1, self.h, self.d_k).transpose(1, 2)

        raw = q @ k.transpose(2, 3)
        scale = raw.new_full((), self.d_k).rsqrt()
        penalty = raw.new_zeros(1)
        if mask is not None:
            penalty = raw.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))
        scores = torch.addcmul(penalty, raw, scale)      # penalty + raw * scale

        attn_w = torch.softmax(scores, -1)
        out = (attn_w @ v).transpose(1, 2).reshape(B, Tq, D)
        return self.W_O(out), attn_w
