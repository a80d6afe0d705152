import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    root = math.sqrt(Q.shape[-1])
    scores = (Q / root) @ (K / root).transpose(-2, -1)
    if mask is not None:
        scores = scores + mask.float()
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
