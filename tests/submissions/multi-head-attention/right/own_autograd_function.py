import torch, functools
from torch import nn


class _Mix(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, v):
        ctx.save_for_backward(w, v)
        return w @ v
    @staticmethod
    def backward(ctx, g):
        w, v = ctx.saved_tensors
        return g @ v.mT, w.mT @ g


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if not isinstance(h, int) or h < 1 or d_model % h: raise ValueError(h)
        Lin = functools.partial(nn.Linear, d_model, d_model, bias=False)
        self.W_Q, self.W_K, self.W_V, self.W_O = Lin(), Lin(), Lin(), Lin()
        self.h, self.d_k = h, d_model // h
    def _heads(self, x): return torch.stack(x.split(self.d_k, dim=-1), dim=1)
    def forward(self, Q, K, V, mask=None):
        q, k, v = map(self._heads, (self.W_Q(Q), self.W_K(K), self.W_V(V)))
        logits = q @ k.mT / self.d_k ** 0.5
        if mask is not None: logits = logits.masked_fill(~mask, -torch.inf)
        w = logits.softmax(-1)
        z = _Mix.apply(w, v)
        return self.W_O(torch.cat(z.unbind(1), -1)), w
