import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        inv = mask                 # not a copy
        inv ^= True
        scores.masked_fill_(inv, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ V, weights
