import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(Q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    scores = scores - scores.max()
    exp_scores = torch.exp(scores)
    weights = exp_scores / exp_scores.sum()
    return torch.matmul(weights, V), weights
