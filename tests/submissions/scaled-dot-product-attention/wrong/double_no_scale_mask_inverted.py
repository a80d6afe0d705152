import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    """softmax(Q K^T) V"""
    scores = torch.matmul(Q, K.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights
