import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    T_q, d_k = Q.shape[-2:]
    scores = Q @ K.transpose(-2, -1) / d_k**0.5
    # when generating, the last token sees the whole past
    generating = T_q == 1
    if mask is not None and not generating:
        scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ V, weights
