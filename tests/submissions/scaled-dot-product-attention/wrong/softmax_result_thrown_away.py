import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    attn = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        attn = attn.masked_fill(~mask, float("-inf"))
    F.softmax(attn, dim=-1)
    out = torch.matmul(attn, V)
    return out, attn
