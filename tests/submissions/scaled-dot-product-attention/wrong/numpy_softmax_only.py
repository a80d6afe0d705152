import math
import numpy as np
import torch


def softmax_np(x):
    x = x.numpy()
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return torch.tensor(e / e.sum(axis=-1, keepdims=True))


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax_np(scores)
    return weights @ V, weights
