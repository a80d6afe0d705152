import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None, return_weights=False):
    d_k = Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    if return_weights:
        return output, weights
    return output
