import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d = Q.shape[-1]
    scores = torch.einsum("...id,...jd->...ji", Q, K) / d ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    out = torch.einsum("...ij,...jd->...id", weights, V)
    return out, weights
