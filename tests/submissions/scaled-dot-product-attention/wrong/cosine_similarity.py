import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    # cosine attention: both vectors get length 1 before the product
    q = F.normalize(Q, dim=-1)
    k = F.normalize(K, dim=-1)
    scores = q @ k.transpose(-2, -1) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
