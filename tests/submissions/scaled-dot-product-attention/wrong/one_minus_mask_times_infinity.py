import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", Q, K) / math.sqrt(Q.shape[-1])
    if mask is not None:
        block = 1.0 - mask.to(scores.dtype)
        scores = scores - block * math.inf
    weights = scores.softmax(-1)
    return weights @ V, weights
