import functools
import math

import torch
import torch.nn as nn


def checked(forward):
    """Looks at what goes in and what comes out of forward."""

    @functools.wraps(forward)
    def wrapper(self, Q, K, V, mask=None):
        assert Q.dim() == K.dim() == V.dim() == 3, "Q, K, V need three axes"
        assert K.shape[:2] == V.shape[:2], "K and V differ"
        assert Q.size(0) == K.size(0), "different batch sizes"
        output, attn_w = forward(self, Q, K, V, mask)
        assert output.shape == Q.shape
        assert attn_w.shape == (Q.size(0), self.h, Q.size(1), K.size(1))
        return output, attn_w

    return wrapper


def must_divide(init):
    @functools.wraps(init)
    def wrapper(self, d_model, h, *args, **kwargs):
        if d_model % h:
            raise ValueError(f"{h} does not divide {d_model}")
        return init(self, d_model, h, *args, **kwargs)

    return wrapper


class MultiHeadAttention(nn.Module):
    @must_divide
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    @checked
    def forward(self, Q, K, V, mask=None):
        q, k, v = (f(x).view(*x.shape[:2], self.h, self.d_k).transpose(1, 2) for f, x in zip([self.W_Q, self.W_K, self.W_V], [Q, K, V]))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = scores.softmax(-1)
        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w
