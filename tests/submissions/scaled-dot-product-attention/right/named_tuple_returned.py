from typing import NamedTuple

import torch


class Attended(NamedTuple):
    output: torch.Tensor
    weights: torch.Tensor


def scaled_dot_product_attention(Q, K, V, mask=None) -> Attended:
    scores = torch.matmul(Q, K.transpose(-1, -2)) / torch.tensor(Q.size(-1), dtype=Q.dtype, device=Q.device).sqrt()
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return Attended(output=weights @ V, weights=weights)
