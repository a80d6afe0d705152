import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    # (B, Tq, d) x (B, d, Tk) -> (B, Tq, Tk)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(Q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=2)   # dim 2 = keys
    return torch.matmul(weights, V), weights
