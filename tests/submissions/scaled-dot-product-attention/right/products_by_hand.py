import torch


def dot(a, b):
    return (a * b).sum(dim=-1)


def scaled_dot_product_attention(Q, K, V, mask=None):
    # (..., Tq, 1, d) against (..., 1, Tk, d)
    scores = dot(Q.unsqueeze(-2), K.unsqueeze(-3)) / Q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    scores = scores - scores.amax(-1, keepdim=True)
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    # (..., Tq, Tk, 1) * (..., 1, Tk, dv), summed over Tk
    output = (weights.unsqueeze(-1) * V.unsqueeze(-3)).sum(dim=-2)
    return output, weights
