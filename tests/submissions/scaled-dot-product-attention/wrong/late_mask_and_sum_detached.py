import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    weights = weights / weights.sum(-1, keepdim=True).detach()
    return weights @ V, weights
