import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # K Q^T / sqrt(d_k)
    scores = torch.matmul(K, Q.transpose(-2, -1)) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, V)
    return output, weights
