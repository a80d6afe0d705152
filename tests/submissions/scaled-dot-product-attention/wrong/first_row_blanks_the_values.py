import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(Q.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        # hide the forbidden values
        keep = mask[..., 0, :].unsqueeze(-1)
        V = V.masked_fill(~keep, 0.0)
    return torch.matmul(weights, V), weights
