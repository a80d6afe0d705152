import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h > 0:
            raise AssertionError("cannot split evenly")
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q, k, v = [
            proj(x).view(x.size(0), x.size(1), self.h, self.d_k).permute(0, 2, 1, 3)
            for proj, x in [(self.W_Q, Q), (self.W_K, K), (self.W_V, V)]
        ]
        energy = q.matmul(k.permute(0, 1, 3, 2)).div(self.d_k**0.5)
        if mask is not None:
            energy = energy.masked_fill(mask.eq(False), -float("inf"))
        # softmax(x) = exp(x - logsumexp(x)): stable without looking for the maximum myself
        log_z = torch.logsumexp(energy, dim=-1, keepdim=True)
        attn = torch.exp(energy - log_z)
        out = attn.matmul(v).permute(0, 2, 1, 3).reshape(Q.shape)
        return self.W_O(out), attn
