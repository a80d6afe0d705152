from __future__ import annotations

import math
from typing import Optional, Tuple

import torch
from torch import Tensor


def scaled_dot_product_attention(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    mask: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    r"""Scaled dot-product attention.

    .. math::
        \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V

    Does the same as :func:`torch.nn.functional.scaled_dot_product_attention`, but also returns the weights.

    Args:
        Q: queries of shape ``(..., T_q, d_k)``.
        K: keys of shape ``(..., T_k, d_k)``.
        V: values of shape ``(..., T_k, d_v)``.
        mask: boolean, broadcastable to ``(..., T_q, T_k)``; ``True`` where attention is allowed.

    Returns:
        ``(output, weights)`` of shapes ``(..., T_q, d_v)`` and ``(..., T_q, T_k)``.

    Example:
        >>> x = torch.zeros(2, 3, 4)
        >>> out, w = scaled_dot_product_attention(x, x, x)
        >>> out.shape, w.shape
        (torch.Size([2, 3, 4]), torch.Size([2, 3, 3]))
    """
    scale: float = 1.0 / math.sqrt(Q.shape[-1])
    scores: Tensor = torch.matmul(Q, K.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores.masked_fill(torch.logical_not(mask), float("-inf"))
    weights: Tensor = torch.softmax(scores, dim=-1)
    output: Tensor = torch.matmul(weights, V)
    return output, weights
