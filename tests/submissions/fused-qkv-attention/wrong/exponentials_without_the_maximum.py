import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.n = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        b, t, c = x.shape
        n = self.n
        d = c // n
        qkv = self.W_qkv(x).unflatten(-1, (n, d, 3)).transpose(1, 2)
        qkv = qkv.reshape(b * n, t, d, 3)
        q = qkv[..., 0]
        k = qkv[..., 1]
        v = qkv[..., 2]
        att = torch.bmm(q, k.transpose(1, 2)) * (1.0 / math.sqrt(d))
        att = att.exp()
        att = att / att.sum(-1, keepdim=True)
        y = torch.bmm(att, v)
        y = y.view(b, n, t, d).transpose(1, 2).flatten(2)
        return self.W_o(y)
