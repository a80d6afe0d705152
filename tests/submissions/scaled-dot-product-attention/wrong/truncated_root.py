import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    root = int(math.sqrt(d_k))
    scores = (Q @ K.transpose(-2, -1)) / root
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
