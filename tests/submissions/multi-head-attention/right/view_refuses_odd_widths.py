import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        # view complains by itself if h does not divide d_model, so I need no check of my own
        q = self.W_Q(Q).view(Q.size(0), Q.size(1), self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(K.size(0), K.size(1), self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(V.size(0), V.size(1), self.h, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.d_k ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)
        out = torch.matmul(attn_w, v).transpose(1, 2).reshape(Q.shape)
        return self.W_O(out), attn_w
