import math
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ V, weights
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return sdpa(Q, K, V, attn_mask=mask), weights
