import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    B, T_q, d_k = Q.shape
    T_k = K.shape[1]
    scores = torch.einsum("bqd,bkd->bqk", Q, K) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    assert weights.shape == (B, T_q, T_k)
    out = torch.einsum("bqk,bkv->bqv", weights, V)
    return out, weights
