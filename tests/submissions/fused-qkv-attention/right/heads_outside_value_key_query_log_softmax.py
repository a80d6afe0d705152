import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        d_k, rest = divmod(x.shape[-1], self.h)
        if rest:
            raise ValueError(f"{x.shape[-1]} features for {self.h} heads")
        qkv = self.W_qkv(x).unflatten(2, (self.h, 3, d_k)).permute(3, 0, 2, 1, 4)
        v, k, q = qkv
        log_weights = torch.log_softmax(q @ k.transpose(-1, -2) / d_k**0.5, dim=-1)
        context = log_weights.exp() @ v
        return self.W_o(context.transpose(1, 2).flatten(2))
