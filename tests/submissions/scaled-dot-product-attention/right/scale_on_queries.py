import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    Q = Q / Q.size(-1) ** 0.5      # a new tensor; the caller's Q stays as it is
    A = Q @ K.mT
    if mask is not None:
        A = A.masked_fill(~mask, -1e30)
    A = A.softmax(dim=-1)
    O = A @ V
    return O, A
