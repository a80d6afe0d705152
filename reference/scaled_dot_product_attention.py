"""The reference for ``scaled-dot-product-attention``: one operation a line, each result under the name of its stage.

Source: Vaswani et al. 2017, section 3.2.1. Tested against a loop over queries in float64 and against torch.nn.functional.
"""

import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Attend from Q (…, T_q, d_k) to K (…, T_k, d_k) and V (…, T_k, d_v), whatever the number of axes in front.

    Args:
        Q: the queries.
        K: the keys.
        V: the values, one for each key.
        mask: boolean, broadcastable to (…, T_q, T_k), True = may attend; None lets every query see every key.

    Returns:
        The output (…, T_q, d_v) and the attention weights (…, T_q, T_k).
    """
    scores = Q @ K.transpose(-2, -1)  # (…, T_q, T_k)
    scaled = scores / math.sqrt(Q.shape[-1])  # (…, T_q, T_k)
    masked = scaled if mask is None else scaled.masked_fill(~mask, float("-inf"))  # (…, T_q, T_k)
    weights = torch.softmax(masked, dim=-1)  # (…, T_q, T_k), every row sums to 1
    output = weights @ V  # (…, T_q, d_v)
    return output, weights
