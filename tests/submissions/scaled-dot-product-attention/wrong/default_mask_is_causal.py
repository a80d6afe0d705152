import math
import torch


def make_mask(n, m, like):
    return like.new_ones(n, m).triu(diagonal=1) == 0


def scaled_dot_product_attention(Q, K, V, mask=None):
    if mask is None:
        # GPT style by default
        mask = make_mask(Q.shape[-2], K.shape[-2], Q)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
