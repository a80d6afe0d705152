import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    # bf16 saves memory
    q, k = Q.to(torch.bfloat16), K.to(torch.bfloat16)
    scores = (q @ k.transpose(-2, -1)).to(Q.dtype) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights
