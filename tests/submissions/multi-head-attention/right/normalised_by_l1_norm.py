import torch as t
import torch.nn as tnn
import torch.nn.functional as tf


class MultiHeadAttention(tnn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, (d_model, h)
        self.h = h
        self.W_Q = tnn.Linear(d_model, d_model, bias=False)
        self.W_K = tnn.Linear(d_model, d_model, bias=False)
        self.W_V = tnn.Linear(d_model, d_model, bias=False)
        self.W_O = tnn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for w, x in [(self.W_Q, Q), (self.W_K, K), (self.W_V, V)])
        s = t.matmul(q, t.transpose(k, -1, -2)) / t.full((), q.shape[-1], dtype=q.dtype, device=q.device).sqrt()
        if mask is not None:
            s = t.masked_fill(s, ~mask, -t.inf)
        e = t.exp(s - t.max(s, dim=-1, keepdim=True)[0].detach())
        w = tf.normalize(e, p=1, dim=-1)
        return self.W_O(t.flatten(t.transpose(t.matmul(w, v), 1, 2), 2)), w
