import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    output = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    # the weights for plotting
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return output, scores.softmax(dim=-1)
