import torch
import torch.nn as nn

BLOCK = 3


class MultiHeadAttention(nn.Module):
    """FlashAttention's online softmax over blocks of keys, written out in plain torch."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x):
        return x.view(x.size(0), x.size(1), self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self._split(self.W_Q(Q)), self._split(self.W_K(K)), self._split(self.W_V(V))
        B, H, N, _ = q.shape
        M = k.size(2)
        allowed = torch.ones(B, H, N, M, dtype=torch.bool, device=q.device)
        if mask is not None:
            allowed = allowed & mask
        lowest = torch.finfo(q.dtype).min

        acc = q.new_zeros(B, H, N, self.d_k)
        row_max = q.new_full((B, H, N, 1), lowest)
        row_sum = q.new_zeros(B, H, N, 1)
        blocks = []
        for start in range(0, M, BLOCK):
            stop = min(start + BLOCK, M)
            s = q @ k[:, :, start:stop].mT / self.d_k**0.5
            s = s.masked_fill(~allowed[..., start:stop], lowest)
            new_max = torch.maximum(row_max, s.amax(-1, keepdim=True).detach())
            p = torch.exp(s - new_max) * allowed[..., start:stop]
            shrink = torch.exp(row_max - new_max)
            acc = acc * shrink + p @ v[:, :, start:stop]
            row_sum = row_sum * shrink + p.sum(-1, keepdim=True)
            row_max = new_max
            blocks.append(s)

        weights = torch.exp(torch.cat(blocks, dim=-1) - row_max) * allowed / row_sum
        out = (acc / row_sum).transpose(1, 2).reshape(B, N, H * self.d_k)
        return self.W_O(out), weights
