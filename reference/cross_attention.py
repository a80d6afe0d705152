"""The reference for ``cross-attention``: plain, one step a line, a shape behind every tensor.

Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3. Tested against a loop over heads in float64 and against torch.nn.functional.
"""

import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    """Attention from one sequence to another by several heads; without a second sequence it is self-attention.

    Args:
        d_model: width of the model.
        num_heads: number of heads, h for short; must divide ``d_model``.

    Raises:
        ValueError: ``num_heads`` does not divide ``d_model``.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} cannot be shared evenly by num_heads = {num_heads} heads")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, memory=None):
        """Attend from x (B, T_q, d_model) to memory (B, T_k, d_model), or to x itself where no memory is given.

        Returns:
            The output (B, T_q, d_model).
        """
        source = x if memory is None else memory  # (B, T_k, d_model)
        q = self.W_Q(x)  # (B, T_q, d_model)
        k = self.W_K(source)  # (B, T_k, d_model)
        v = self.W_V(source)  # (B, T_k, d_model)
        q_heads = self._split(q)  # (B, h, T_q, d_k)
        k_heads = self._split(k)  # (B, h, T_k, d_k)
        v_heads = self._split(v)  # (B, h, T_k, d_k)
        scores = q_heads @ k_heads.transpose(-2, -1)  # (B, h, T_q, T_k)
        scaled = scores / math.sqrt(self.d_k)  # (B, h, T_q, T_k)
        attn_w = torch.softmax(scaled, dim=-1)  # (B, h, T_q, T_k)
        context = attn_w @ v_heads  # (B, h, T_q, d_k)
        merged = context.transpose(1, 2).flatten(2)  # (B, T_q, d_model)
        output = self.W_O(merged)  # (B, T_q, d_model)
        return output

    def _split(self, x):
        # First cut the width, then move the heads forward: every head keeps the whole sequence.
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)  # (B, h, T, d_k)
