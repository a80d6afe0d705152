import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        # the same mask for every sample
        first = mask if mask.dim() == 2 else mask[0]
        scores = scores.masked_fill(~first, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
