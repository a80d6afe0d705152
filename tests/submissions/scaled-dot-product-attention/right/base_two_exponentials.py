import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scale = 1.4426950408889634 / math.sqrt(Q.shape[-1])   # log2(e) / sqrt(d_k)
    s = torch.einsum("...md,...nd->...mn", Q, K) * scale
    if mask is not None:
        s = torch.where(mask, s, s.new_full((), -math.inf))
    p = torch.exp2(s - s.amax(dim=-1, keepdim=True))
    p = p / p.sum(dim=-1, keepdim=True)
    return torch.einsum("...mn,...nd->...md", p, V), p
