import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    root = math.floor(Q.shape[-1] ** 0.5)
    scores = Q @ K.transpose(-2, -1) / root
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ K, weights
