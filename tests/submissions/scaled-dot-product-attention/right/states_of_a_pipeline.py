from dataclasses import dataclass, replace
from typing import Optional

import torch


@dataclass(frozen=True, eq=False)
class State:
    Q: torch.Tensor
    K: torch.Tensor
    V: torch.Tensor
    mask: Optional[torch.Tensor] = None
    scores: Optional[torch.Tensor] = None

    def compare(self):
        return replace(self, scores=self.Q @ self.K.transpose(-2, -1))

    def scale(self):
        return replace(self, scores=self.scores / self.K.shape[-1] ** 0.5)

    def hide(self):
        return self if self.mask is None else replace(self, scores=self.scores.masked_fill(~self.mask, float("-inf")))

    def mix(self):
        weights = self.scores.softmax(dim=-1)
        return weights @ self.V, weights


def scaled_dot_product_attention(Q, K, V, mask=None):
    return State(Q, K, V, mask).compare().scale().hide().mix()
