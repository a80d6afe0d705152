import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # i: query, j: key, d: feature
    scores = torch.einsum("...id,...jd->...ij", Q, K) * Q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    output = torch.einsum("...ji,...jd->...id", weights, V)
    return output, weights
