import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    if mask is not None:
        # a key that nobody may see is set to zero
        allowed = mask.any(dim=-2).unsqueeze(-1)      # (..., T_k, 1)
        K = K * allowed
        V = V * allowed
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
