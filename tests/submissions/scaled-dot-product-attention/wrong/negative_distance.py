import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    # the closer a key is to the query, the higher its score
    scores = -torch.cdist(Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
