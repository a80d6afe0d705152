import torch

def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    # divide by the square root of d_k
    s = Q @ K.transpose(-2, -1) / (d_k ** 1 / 2)
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    a = s.softmax(-1)
    return a @ V, a
