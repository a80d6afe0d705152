import torch as t


def scaled_dot_product_attention(Q, K, V, mask=None):
    x = t.matmul(Q, K.movedim(-1, -2)).div(Q.size(-1) ** .5)
    x = x if mask is None else x.where(mask, t.tensor(-t.inf, dtype=x.dtype, device=x.device))
    p = t.exp(x - x.logsumexp(-1, keepdim=True))
    return t.matmul(p, V), p
