"""The reference for ``multi-head-attention``: plain, one step a line, a shape behind every tensor.

Source: Vaswani et al. 2017, section 3.2.2. Tested against a loop over heads in float64 and against torch.nn.functional.
"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attention by h heads side by side, each on its own share of the width.

    Args:
        d_model: width of the model.
        h: number of heads; must divide ``d_model``.

    Raises:
        ValueError: ``h`` does not divide ``d_model``.
    """

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"d_model = {d_model} cannot be shared evenly by h = {h} heads")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        """Attend from Q (B, T_q, d_model) to K and V (B, T_k, d_model); ``mask`` is boolean, True = may attend.

        Returns:
            The output (B, T_q, d_model) and the attention weights (B, h, T_q, T_k).
        """
        q = self.W_Q(Q)  # (B, T_q, d_model)
        k = self.W_K(K)  # (B, T_k, d_model)
        v = self.W_V(V)  # (B, T_k, d_model)
        q_heads = self._split(q)  # (B, h, T_q, d_k)
        k_heads = self._split(k)  # (B, h, T_k, d_k)
        v_heads = self._split(v)  # (B, h, T_k, d_k)
        scores = q_heads @ k_heads.transpose(-2, -1)  # (B, h, T_q, T_k)
        scaled = scores / math.sqrt(self.d_k)  # (B, h, T_q, T_k)
        masked = scaled if mask is None else scaled.masked_fill(~mask, float("-inf"))  # (B, h, T_q, T_k)
        attn_w = torch.softmax(masked, dim=-1)  # (B, h, T_q, T_k)
        context = attn_w @ v_heads  # (B, h, T_q, d_k)
        merged = context.transpose(1, 2).flatten(2)  # (B, T_q, d_model)
        output = self.W_O(merged)  # (B, T_q, d_model)
        return output, attn_w

    def _split(self, x):
        # First cut the width, then move the heads forward: every head keeps the whole sequence.
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)  # (B, h, T, d_k)
