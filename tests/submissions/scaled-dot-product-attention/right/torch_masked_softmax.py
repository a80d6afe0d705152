import torch
import torch.masked


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    # torch.masked: True means the entry takes part
    weights = torch.masked.softmax(scores, dim=-1, mask=mask)
    return weights @ V, weights
