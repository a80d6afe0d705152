import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    if mask is None:
        mask = torch.ones(Q.shape[-2], K.shape[-2], dtype=torch.bool, device=Q.device)
    scores = torch.einsum("...qd,...kd->...qk", Q, K) / Q.shape[-1] ** 0.5
    attn = scores.softmax(dim=-1)
    attn = attn * mask      # zeros where not allowed
    return torch.einsum("...qk,...kv->...qv", attn, V), attn
