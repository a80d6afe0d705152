import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = torch.relu(scores) + 1e-6
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    weights = scores / scores.sum(dim=-1, keepdim=True)
    return weights @ V, weights
