import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.size(-1)
    scale = math.sqrt(d_k)

    # (..., T_q, T_k)
    attn = torch.matmul(Q, K.transpose(-2, -1))
    if mask is not None:
        attn = attn.masked_fill(mask == False, -1e9)
    attn = torch.softmax(attn, dim=-1)

    out = torch.matmul(attn, V)
    return out, attn
