import torch
from torch import nn, vmap


def single(q, k, v, allowed):
    """One head of one sample: (Tq, d), (Tk, d), (Tk, d), (Tq, Tk)."""
    s = q @ k.T / q.shape[-1] ** 0.5
    s = torch.where(allowed, s, torch.finfo(s.dtype).min)
    w = torch.softmax(s, dim=-1)
    return w @ v, w


# sample axis outside, head axis (after time) inside
attend = vmap(vmap(single, in_dims=(1, 1, 1, 0), out_dims=(1, 0)))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)) for w, x in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)))
        if mask is None:
            mask = torch.ones((), dtype=torch.bool, device=Q.device)
        allowed = mask.expand(Q.shape[0], self.h, Q.shape[1], K.shape[1])
        out, w = attend(q, k, v, allowed)
        return self.W_O(out.flatten(-2)), w
