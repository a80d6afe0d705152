import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    T_q, T_k = Q.shape[-2], K.shape[-2]
    bias = torch.zeros(T_q, T_k, dtype=Q.dtype)
    if mask is not None:
        bias = bias.masked_fill(~mask, float("-inf"))
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]) + bias
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
