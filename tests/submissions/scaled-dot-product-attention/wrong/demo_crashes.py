import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


Q = torch.randn(2, 5, 8)
K = torch.randn(2, 3, 6)
V = torch.randn(2, 3, 8)
out, w = scaled_dot_product_attention(Q, K, V)
print(out)
