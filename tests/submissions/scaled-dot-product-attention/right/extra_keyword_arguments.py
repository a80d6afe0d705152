import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None, dropout_p=0.0, is_causal=False, scale=None, training=True):
    L, S = Q.size(-2), K.size(-2)
    scale_factor = 1 / math.sqrt(Q.size(-1)) if scale is None else scale
    attn_bias = torch.zeros(L, S, dtype=Q.dtype, device=Q.device)
    if is_causal:
        assert mask is None
        keep = torch.ones(L, S, dtype=torch.bool, device=Q.device).tril(diagonal=0)
        attn_bias = attn_bias.masked_fill(keep.logical_not(), float("-inf"))
    if mask is not None:
        attn_bias = attn_bias.masked_fill(mask.logical_not(), float("-inf"))

    attn_weight = Q @ K.transpose(-2, -1) * scale_factor
    attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return F.dropout(attn_weight, dropout_p, training) @ V, attn_weight
