import torch
from torch import nn, vmap


def single(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, -1) @ v


attend = vmap(single, in_dims=2, out_dims=2)


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        q, k, v = (t.unflatten(-1, (self.h, -1)) for t in (self.W_Q(x), self.W_K(memory), self.W_V(memory)))
        return self.W_O(attend(q, k, v).flatten(2))
