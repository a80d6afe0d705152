import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    dim = K.shape[-1]
    sqrt_dim = dim ** 0.5 // 1
    att = Q @ K.transpose(-2, -1) / sqrt_dim
    if mask is not None:
        att = att.masked_fill(~mask, float("-inf"))
    att = F.softmax(att, dim=-1)
    return att @ V, att
