"""Milakov & Gimelshein (2018): the softmax denominator in one pass over blocks of keys."""
import torch


def scaled_dot_product_attention(Q, K, V, mask=None, block=2):
    scale = Q.size(-1) ** -0.5
    n_keys = K.size(-2)
    allowed = torch.ones(*Q.shape[:-1], n_keys, dtype=torch.bool, device=Q.device)
    if mask is not None:
        allowed = allowed & mask
    lowest = torch.finfo(Q.dtype).min

    m = Q.new_full((*Q.shape[:-1], 1), lowest)
    l = torch.zeros_like(m)
    acc = Q.new_zeros(*Q.shape[:-1], V.size(-1))
    seen = []
    for k, v, ok in zip(K.split(block, -2), V.split(block, -2), allowed.split(block, -1)):
        s = (Q @ k.mT * scale).masked_fill(~ok, lowest)
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = (s - m_new).exp() * ok
        r = (m - m_new).exp()
        l = l * r + p.sum(-1, keepdim=True)
        acc = acc * r + p @ v
        m = m_new
        seen.append(s)
    weights = (torch.cat(seen, -1) - m).exp() * allowed / l
    return acc / l, weights
