import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = torch.matmul(Q, K.transpose(-2, -1)) * K.shape[-1] ** -0.5
    if mask is None:
        mask = torch.ones_like(s, dtype=torch.bool)
    # the row maximum only over what may be seen, so that exp neither overflows nor vanishes
    peak = s.masked_fill(~mask, torch.finfo(s.dtype).min).max(-1, keepdim=True)[0]
    e = (s - peak).clamp(max=0.0).exp() * mask.to(s.dtype)
    weights = e / e.sum(-1, keepdim=True)
    return torch.matmul(weights, V), weights
