import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Like Whisper: the fourth root of d_k on either side keeps half precision safe."""

    def __init__(self, d_model: int, h: int):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model % h != 0")
        self.n_head = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor = None):
        return self.qkv_attention(self.W_Q(Q), self.W_K(K), self.W_V(V), mask)

    def qkv_attention(self, q, k, v, mask=None):
        n_state = q.shape[-1]
        scale = (n_state // self.n_head) ** -0.25
        q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3) * scale
        k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1) * scale
        v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
        qk = q @ k
        if mask is not None:
            qk = qk + torch.zeros_like(qk).masked_fill(~mask, -torch.inf)
        w = torch.softmax(qk, dim=-1)
        wv = (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)
        return self.W_O(wv), w
