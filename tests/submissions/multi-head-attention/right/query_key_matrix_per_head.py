import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """The "QK circuit": one (d_model, d_model) bilinear form for each head."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    @property
    def W_QK(self):
        wq = self.W_Q.weight.view(self.h, self.d_k, -1)
        wk = self.W_K.weight.view(self.h, self.d_k, -1)
        return wq.mT @ wk                                   # (h, d_model, d_model)

    def forward(self, Q, K, V, mask=None):
        scores = torch.einsum("bid,hde,bje->bhij", Q, self.W_QK, K) / self.d_k**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = scores.softmax(-1)
        v = self.W_V(V).unflatten(-1, (self.h, self.d_k))
        out = torch.einsum("bhij,bjhd->bihd", attn_w, v).flatten(2)
        return self.W_O(out), attn_w
