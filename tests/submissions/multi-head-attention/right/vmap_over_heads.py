import torch
from torch import nn
from torch.func import vmap


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("bad h")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        def heads(x):  # (h, B, T, d_k)
            return torch.stack(x.chunk(self.h, dim=-1))

        def one_head(q, k, v, m):
            s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            s = torch.where(m, s, float("-inf"))
            w = s.softmax(-1)
            return w @ v, w

        B, T, _ = Q.shape
        full = torch.ones(B, self.h, T, K.shape[1], dtype=torch.bool, device=Q.device)
        if mask is not None:
            full = full & mask
        out, w = vmap(one_head)(heads(self.W_Q(Q)), heads(self.W_K(K)), heads(self.W_V(V)), full.transpose(0, 1))
        return self.W_O(torch.cat(tuple(out), dim=-1)), w.transpose(0, 1)
