import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("please choose another h")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, Tq, d_model = Q.shape
        Tk = K.shape[1]
        h = self.h
        dk = d_model // h

        q = self.W_Q(Q).view(B, Tq, h, dk).transpose(1, 2)
        k = self.W_K(K).view(B, Tk, h, dk).transpose(1, 2)
        v = self.W_V(V).view(B, Tk, h, dk).transpose(1, 2)

        scores = q @ k.transpose(2, 3)
        scores = scores / dk ** 0.5
        if mask is not None:
            forbidden = torch.logical_not(mask).expand(B, h, Tq, Tk)
            scores[forbidden] = float("-inf")      # scores is my own tensor, so this is fine

        attn_w = torch.softmax(scores, dim=-1)
        z = attn_w @ v
        z = z.transpose(1, 2).reshape(B, Tq, d_model)
        return self.W_O(z), attn_w
