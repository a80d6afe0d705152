import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super(CrossAttention, self).__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.d_model = d_model
        self.h = num_heads
        self.dk = d_model // num_heads
        make = lambda: nn.Linear(d_model, d_model, bias=False)
        self.W_Q = make()
        self.W_K = make()
        self.W_V = make()
        self.W_O = make()

    def forward(self, x, memory=None):
        src = memory if memory is not None and memory.shape[1] != x.shape[1] else x
        b, tq, _ = x.shape
        tk = src.size(1)
        q = self.W_Q(x).view(b, tq, self.h, self.dk).permute(0, 2, 1, 3).reshape(b * self.h, tq, self.dk)
        k = self.W_K(src).view(b, tk, self.h, self.dk).permute(0, 2, 1, 3).reshape(b * self.h, tk, self.dk)
        v = self.W_V(src).view(b, tk, self.h, self.dk).permute(0, 2, 1, 3).reshape(b * self.h, tk, self.dk)
        e = torch.bmm(q, k.mT) * self.dk ** -0.5
        a = F.softmax(e, dim=2)
        z = torch.bmm(a, v).view(b, self.h, tq, self.dk)
        z = z.permute(0, 2, 1, 3).contiguous().view(b, tq, self.d_model)
        z = self.W_O(z)
        return z
