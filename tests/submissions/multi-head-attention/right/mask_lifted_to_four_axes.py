import math
import torch
import torch.nn as nn
import torch.nn.functional as F


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

    def _lift(self, mask, shape):
        # (Tq, Tk) -> (1, 1, Tq, Tk); (h, Tq, Tk) -> (1, h, Tq, Tk)
        while mask.dim() < 4:
            mask = mask.unsqueeze(0)
        return mask.expand(shape)

    def forward(self, Q, K, V, mask=None):
        B, Tq, _ = Q.shape
        _, Tk, _ = K.shape
        q = self.W_Q(Q).view(B, Tq, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, Tk, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, Tk, self.h, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        assert scores.shape == (B, self.h, Tq, Tk)
        if mask is not None:
            mask = self._lift(mask, scores.shape)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attn_w = F.softmax(scores, dim=-1)
        out = torch.matmul(attn_w, v)
        assert out.shape == (B, self.h, Tq, self.d_k)
        out = out.transpose(1, 2).reshape(B, Tq, self.h * self.d_k)
        return self.W_O(out), attn_w
