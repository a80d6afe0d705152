import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.d_k, rest = divmod(d_model, h)
        if rest: raise ValueError("rest")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
    def forward(self, Q, K, V, mask=None):
        # heads into the batch axis, as chunks
        B = Q.shape[0]
        q = torch.cat(self.W_Q(Q).chunk(self.h, -1), 0)
        k = torch.cat(self.W_K(K).chunk(self.h, -1), 0)
        v = torch.cat(self.W_V(V).chunk(self.h, -1), 0)
        s = torch.bmm(q, k.transpose(1, 2)) / self.d_k ** 0.5
        if mask is not None:
            m = mask.expand(B, self.h, Q.shape[1], K.shape[1]).transpose(0, 1).reshape(s.shape)
            s = s.masked_fill(~m, -torch.inf)
        w = s.softmax(-1)
        o = torch.cat(torch.bmm(w, v).chunk(self.h, 0), -1)
        return self.W_O(o), w.unflatten(0, (self.h, B)).transpose(0, 1)
