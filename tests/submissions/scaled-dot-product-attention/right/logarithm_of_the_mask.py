import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / Q.size(-1) ** 0.5
    if mask is not None:
        scores = scores + torch.log(mask.type_as(scores))
    weights = scores.softmax(-1)
    return weights @ V, weights
