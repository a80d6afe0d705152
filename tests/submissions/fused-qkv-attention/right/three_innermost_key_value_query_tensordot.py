import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        parts = torch.tensordot(x, self.W_qkv.weight, dims=([2], [1]))
        parts = parts.unflatten(-1, (self.h, self.d, 3)).permute(4, 0, 2, 1, 3)
        k, v, q = parts.unbind(0)
        scores = torch.tensor(self.d, dtype=x.dtype, device=x.device).rsqrt() * (q @ k.mT)
        weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
        joined = torch.cat((weights @ v).unbind(1), dim=-1)
        return self.W_o(joined)
