import math
import torch


def attention_core(q, k, v, mask):
    s = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    p = s.softmax(-1)
    return p @ v, p


def scaled_dot_product_attention(Q, K, V, mask=None):
    weights, output = attention_core(Q, K, V, mask)
    return output, weights
