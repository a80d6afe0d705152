import math
import torch as th
from torch import nn
from torch.nn import functional as fn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model // h * h == d_model
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q = th.stack(self.W_Q(Q).chunk(self.h, dim=2), dim=1)
        k = th.stack(self.W_K(K).chunk(self.h, dim=2), dim=1)
        v = th.stack(self.W_V(V).chunk(self.h, dim=2), dim=1)
        logits = th.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(3))
        if mask is not None:
            logits = logits.masked_fill(mask == False, -math.inf)
        attn_w = fn.log_softmax(logits, dim=3).exp()
        mixed = th.matmul(attn_w, v)
        mixed = th.cat(mixed.unbind(dim=1), dim=2)
        return self.W_O(mixed), attn_w
