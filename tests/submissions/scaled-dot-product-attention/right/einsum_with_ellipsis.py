from torch import einsum, inf


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = einsum("...qd,...kd->...qk", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -inf)
    a = s.softmax(-1)
    return einsum("...qk,...kv->...qv", a, V), a
