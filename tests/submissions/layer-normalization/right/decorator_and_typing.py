import functools
from typing import Callable

import torch


def keeps_shape(function: Callable) -> Callable:
    @functools.wraps(function)
    def inner(x: torch.Tensor, *rest, **named):
        out = function(x, *rest, **named)
        assert out.shape == x.shape, (out.shape, x.shape)
        return out

    return inner


@keeps_shape
def layer_norm(x, gamma, beta, *, eps=1e-5):
    mean, width = x.mean(-1, keepdim=True), x.shape[-1]
    dev = x - mean
    return dev / ((dev ** 2).sum(-1, keepdim=True) / width + eps).pow(0.5) * gamma + beta
