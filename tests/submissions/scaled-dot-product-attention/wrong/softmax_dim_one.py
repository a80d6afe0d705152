import torch
import torch.nn as nn


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    softmax = nn.Softmax(dim=1)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / (d_k ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    attn = softmax(scores)
    return torch.matmul(attn, V), attn
