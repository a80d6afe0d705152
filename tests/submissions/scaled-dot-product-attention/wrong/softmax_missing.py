import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    output = weights @ V
    return output, weights
