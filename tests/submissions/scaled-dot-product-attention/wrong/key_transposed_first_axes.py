import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.size(-1)
    # transpose(1, 0), like in the 2-D example from class
    KT = K.transpose(1, 0)
    scores = torch.matmul(Q, KT) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights
