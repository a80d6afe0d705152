import math

import torch
from torch import nn


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
        if memory is None: memory = x
        b, tq, d = x.shape
        tk = memory.shape[1]
        q = self.W_Q(x).reshape(b, tq, self.h, self.d_k).transpose(1, 2).reshape(-1, tq, self.d_k)
        k = self.W_K(memory).reshape(b, tk, self.h, self.d_k).transpose(1, 2).reshape(-1, tk, self.d_k)
        v = self.W_V(memory).reshape(b, tk, self.h, self.d_k).transpose(1, 2).reshape(-1, tk, self.d_k)
        zeros = torch.zeros((), device=q.device, dtype=q.dtype).expand(q.shape[0], tq, tk)
        scores = torch.baddbmm(zeros, q, k.mT, beta=0, alpha=1 / math.sqrt(self.d_k))
        out = torch.bmm(scores.softmax(-1), v).unflatten(0, (b, self.h))
        return self.W_O(out.transpose(1, 2).reshape(b, tq, d))
