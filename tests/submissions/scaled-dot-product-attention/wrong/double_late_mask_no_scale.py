import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", Q, K)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ V, weights
