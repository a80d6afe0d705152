import math
import torch


def attend_once(q, K, V, allowed):
    """q: (..., d_k), one query for each sample; allowed: (..., T_k) or None"""
    scores = (K * q.unsqueeze(-2)).sum(-1) / math.sqrt(q.size(-1))  # (..., T_k)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    w = torch.softmax(scores, dim=-1)
    return (w.unsqueeze(-1) * V).sum(-2), w


def scaled_dot_product_attention(Q, K, V, mask=None):
    if mask is not None:
        mask = mask.expand(*Q.shape[:-1], K.size(-2))
    outputs = []
    weights = []
    for t in range(Q.size(-2)):
        o, w = attend_once(Q[..., t, :], K, V, None if mask is None else mask[..., t, :])
        outputs.append(o)
        weights.append(w)
    return torch.stack(outputs, dim=-2), torch.stack(weights, dim=-2)
