import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scale_factor = K.size(-1) ** -0.5
    attn = (Q @ K.transpose(-2, -1)) * scale_factor
    if mask is not None:
        lowest = torch.full_like(attn, torch.finfo(attn.dtype).min)
        attn = torch.where(mask, attn, lowest)
    attn = attn.softmax(dim=-1)
    return attn @ V, attn
