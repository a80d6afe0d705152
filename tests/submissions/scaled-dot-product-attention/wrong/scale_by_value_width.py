import torch
from torch import Tensor
from typing import Optional, Tuple


def scaled_dot_product_attention(Q: Tensor, K: Tensor, V: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d)) V"""
    d = V.shape[-1]
    logits = Q @ K.transpose(-2, -1) / d ** 0.5
    if mask is not None:
        logits = logits.masked_fill(~mask, -1e9)
    weights = logits.softmax(-1)
    return weights @ V, weights
