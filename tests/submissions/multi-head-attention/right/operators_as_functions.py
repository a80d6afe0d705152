import operator
from functools import partial, reduce
from itertools import starmap

import torch
from torch import nn


def pipe(x, *fs):
    return reduce(lambda acc, f: f(acc), fs, x)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        operator.mod(d_model, h) == 0 or self._refuse(d_model, h)
        self.h = h
        matrix = partial(nn.Linear, d_model, d_model, bias=False)
        self.W_Q, self.W_K, self.W_V, self.W_O = matrix(), matrix(), matrix(), matrix()

    @staticmethod
    def _refuse(d_model, h):
        raise ValueError(f"{d_model=} is no multiple of {h=}")

    def forward(self, Q, K, V, mask=None):
        split = partial(torch.unflatten, dim=-1, sizes=(self.h, -1))
        front = partial(torch.transpose, dim0=1, dim1=2)
        q, k, v = starmap(lambda w, x: pipe(x, w, split, front), ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)))
        scores = operator.truediv(operator.matmul(q, k.mT), operator.pow(q.size(-1), 0.5))
        hidden = scores if mask is None else torch.masked_fill(scores, operator.invert(mask), -torch.inf)
        weights = torch.softmax(hidden, dim=-1)
        return pipe(operator.matmul(weights, v), front, partial(torch.flatten, start_dim=2), self.W_O), weights
