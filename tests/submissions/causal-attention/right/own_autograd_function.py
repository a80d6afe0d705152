import torch
from torch import nn


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        weights = scores.softmax(-1)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return weights * (grad - (grad * weights).sum(-1, keepdim=True))


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (w(x).unflatten(-1, (self.nheads, -1)).transpose(1, 2) for w in (self.q, self.k, self.v))
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~self.mask[:n, :n], float("-inf"))
        return self.out((Softmax.apply(scores) @ v).transpose(1, 2).flatten(2))
