import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.d_model = d_model
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def one_sentence(self, q, k, v, mask):
        """q (Tq, d_model), k and v (Tk, d_model), mask (h, Tq, Tk) or None"""
        q = q.view(-1, self.h, self.d_k).transpose(0, 1)   # (h, Tq, d_k)
        k = k.view(-1, self.h, self.d_k).transpose(0, 1)
        v = v.view(-1, self.h, self.d_k).transpose(0, 1)
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_k)
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        w = torch.softmax(s, dim=-1)
        o = torch.bmm(w, v)                                # (h, Tq, d_k)
        o = o.transpose(0, 1).contiguous().view(-1, self.d_model)
        return o, w

    def forward(self, Q, K, V, mask=None):
        # I find it easier to think about one sentence at a time. All heads at once, though.
        if mask is not None:
            mask = mask.expand(Q.size(0), self.h, Q.size(1), K.size(1))
        q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)
        outs, ws = [], []
        for b in range(Q.size(0)):
            m = None if mask is None else mask[b]
            o, w = self.one_sentence(q[b], k[b], v[b], m)
            outs.append(o)
            ws.append(w)
        return self.W_O(torch.stack(outs)), torch.stack(ws)
