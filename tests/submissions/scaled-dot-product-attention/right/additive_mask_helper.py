import math
import torch


def additive(mask, dtype, device):
    """0 where looking is allowed, -inf where it is not"""
    out = torch.zeros(mask.shape, dtype=dtype, device=device)
    out[~mask] = float("-inf")
    return out


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores + additive(mask, scores.dtype, scores.device)
    weights = torch.softmax(scores, -1)
    return torch.matmul(weights, V), weights
