import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    # start from a table of zeros and add the products
    scores = torch.zeros(*Q.shape[:-1], K.shape[-2], dtype=Q.dtype, device="cpu")
    scores = scores + Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
