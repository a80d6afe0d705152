import torch


def my_softmax(x):
    # shift for numerical stability
    x = x - x.max()
    e = x.exp()
    return e / e.sum(dim=-2, keepdim=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) * Q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = my_softmax(s)
    return w @ V, w
