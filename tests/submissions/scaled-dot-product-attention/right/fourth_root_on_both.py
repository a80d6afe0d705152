import torch
from torch import Tensor


def scaled_dot_product_attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None):
    root4 = Q.shape[-1] ** -0.25
    scores = (Q * root4) @ (K * root4).transpose(-2, -1)
    if mask is not None:
        scores.masked_fill_(mask.logical_not(), float("-inf"))
    weights = scores.softmax(-1)
    return weights @ V, weights
