import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    version = "1.2"

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be a multiple of h")
        self.d_model = d_model
        self.h = h
        self.register_buffer("sizes", torch.tensor([d_model, h, d_model // h]))
        self.register_buffer("scale", torch.tensor((d_model // h) ** -0.5, dtype=torch.float64), persistent=False)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def extra_repr(self):
        return f"d_model={self.d_model}, h={self.h}, d_k={self.d_model // self.h}"

    def __repr__(self):
        return f"<MultiHeadAttention {self.extra_repr()}>"

    def __len__(self):
        return self.h

    def forward(self, Q, K, V, mask=None):
        d_k = self.d_model // self.h
        q = self.W_Q(Q).view(Q.size(0), Q.size(1), self.h, d_k).transpose(1, 2)
        k = self.W_K(K).view(K.size(0), K.size(1), self.h, d_k).transpose(1, 2)
        v = self.W_V(V).view(V.size(0), V.size(1), self.h, d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.scale.to(q)
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), float("-inf"))
        attn_w = scores.softmax(dim=-1)
        context = (attn_w @ v).transpose(1, 2).contiguous().view(Q.size(0), Q.size(1), self.d_model)
        return self.W_O(context), attn_w


print(MultiHeadAttention(12, 3), len(MultiHeadAttention(12, 3)))
