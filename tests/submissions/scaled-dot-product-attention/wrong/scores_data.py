import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # .data so that the mask can be written in place
    scores = (Q @ K.transpose(-2, -1)).data
    scores /= Q.shape[-1] ** 0.5
    if mask is not None:
        scores.masked_fill_(~mask, float("-inf"))
    w = torch.softmax(scores, dim=-1)
    return w @ V, w
