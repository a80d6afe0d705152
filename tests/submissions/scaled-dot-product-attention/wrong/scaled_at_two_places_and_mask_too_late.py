import math
import torch

def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = (Q / d_k ** 0.5) @ K.transpose(-2, -1)
    scores = scores / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    output = weights @ V
    return output, weights
