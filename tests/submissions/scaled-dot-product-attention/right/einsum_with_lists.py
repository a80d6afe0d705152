import torch

Tq, Tk, dk, dv = 0, 1, 2, 3


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.einsum(Q, [..., Tq, dk], K, [..., Tk, dk], [..., Tq, Tk])
    scores = scores * dk_scale(Q)
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    weights = scores.softmax(-1)
    return torch.einsum(weights, [..., Tq, Tk], V, [..., Tk, dv], [..., Tq, dv]), weights


def dk_scale(x):
    return x.shape[-1] ** -0.5
