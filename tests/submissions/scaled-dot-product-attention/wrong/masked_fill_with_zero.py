import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.size(-1)
    energy = Q @ K.mT / d_k ** 0.5
    if mask is not None:
        energy = energy.masked_fill(~mask, 0)
    attention = torch.softmax(energy, dim=-1)
    return attention @ V, attention
