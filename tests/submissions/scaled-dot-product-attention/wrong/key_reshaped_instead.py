import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    # bring K into the shape (..., d_k, T_k)
    Kt = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    scores = Q @ Kt / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
