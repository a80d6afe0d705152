from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Attended(NamedTuple):
    output: Tensor
    attn_w: Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        self.heads = h
        head_dim, rest = divmod(d_model, h)
        if rest != 0:
            raise ValueError("d_model must be a multiple of h")
        self.scale = head_dim**-0.5
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Optional[Tensor] = None) -> Attended:
        q, k, v = (w(x).unflatten(2, (self.heads, -1)).movedim(2, 1) for w, x in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)))
        logits = self.scale * (q @ k.mT)
        if mask is not None:
            logits = logits.where(mask, -float("inf"))
        weights = logits.softmax(dim=-1)
        mixed = (weights @ v).movedim(1, 2).flatten(start_dim=2)
        return Attended(self.W_O(mixed), weights)
