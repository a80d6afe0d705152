import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if rest := d_model % h:
            raise ValueError(f"{rest} features would be left over")
        self.h, self.d_k = h, (d_k := d_model // h)
        self.scale = d_k**-0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q = self.W_Q(Q).view((b := Q.size(0)), (t := Q.size(1)), self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(b, (s := K.size(1)), self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(b, s, self.h, self.d_k).transpose(1, 2)
        if (scores := self.scale * q @ k.mT).shape != (shape := (b, self.h, t, s)):
            raise RuntimeError(f"{scores.shape} is not {shape}")
        if (allowed := mask) is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        return self.W_O(((w := scores.softmax(-1)) @ v).transpose(1, 2).flatten(2)), w
