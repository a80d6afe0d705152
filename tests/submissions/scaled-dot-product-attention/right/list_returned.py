import torch
import torch.nn as nn

softmax = nn.Softmax(dim=-1)


def scaled_dot_product_attention(Q, K, V, mask=None):
    result = []
    scores = (Q @ K.transpose(-2, -1)) / pow(Q.shape[-1], 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask.eq(0), float("-inf"))
    weights = softmax(scores)
    result.append(weights @ V)
    result.append(weights)
    return result
