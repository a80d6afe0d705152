import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    # sqrt(64) = 8 as in the paper
    scores = torch.matmul(Q, K.transpose(-2, -1)) / 8.0
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights
