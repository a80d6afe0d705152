import torch


def scaled_dot_product_attention(K, Q, V, mask=None):
    s = torch.einsum("...qd,...kd->...qk", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    w = s.softmax(-1)
    return torch.einsum("...qk,...kd->...qd", w, V), w
