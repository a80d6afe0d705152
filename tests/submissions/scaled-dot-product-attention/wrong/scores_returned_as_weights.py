import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, float("-inf"))
    output = F.softmax(weights, dim=-1) @ V
    return output, weights
