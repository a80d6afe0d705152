from collections import namedtuple
import torch
import torch.nn as nn

AttentionResult = namedtuple("AttentionResult", ["output", "attn_w"])
Heads = namedtuple("Heads", "q k v")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise RuntimeError("h must divide d_model")
        self.shape = (h, d_model // h)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def project(self, Q, K, V):
        flat = Heads(self.W_Q(Q), self.W_K(K), self.W_V(V))
        return Heads(*(x.reshape(x.shape[:-1] + self.shape).transpose(-2, -3) for x in flat))

    def forward(self, Q, K, V, mask=None):
        heads = self.project(Q, K, V)
        s = torch.matmul(heads.q, heads.k.transpose(-1, -2)) / self.shape[1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        w = torch.softmax(s, -1)
        o = torch.matmul(w, heads.v).transpose(-2, -3)
        return AttentionResult(output=self.W_O(o.flatten(-2)), attn_w=w)
