"""The reference for ``fused-qkv-attention``: plain, one step a line, a shape behind every tensor.

Source: Vaswani et al. 2017, section 3.2.2, with the three projections of self-attention in one matrix. Tested against a loop over
heads in float64 and against torch.nn.functional.
"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Self-attention by several heads side by side, with one matrix for queries, keys and values together.

    The rows of ``W_qkv`` are all queries, then all keys, then all values, each head by head; any other order of rows is as right.

    Args:
        d_model: width of the model.
        num_heads: number of heads; must divide ``d_model``.

    Raises:
        ValueError: ``num_heads`` does not divide ``d_model``.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} cannot be shared evenly by num_heads = {num_heads} heads")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        """Attend from x (B, T, d_model) to itself.

        Returns:
            The output (B, T, d_model).
        """
        qkv = self.W_qkv(x)  # (B, T, 3 * d_model)
        q = qkv.chunk(3, dim=-1)[0]  # (B, T, d_model)
        k = qkv.chunk(3, dim=-1)[1]  # (B, T, d_model)
        v = qkv.chunk(3, dim=-1)[2]  # (B, T, d_model)
        q_heads = self._split(q)  # (B, h, T, d_k)
        k_heads = self._split(k)  # (B, h, T, d_k)
        v_heads = self._split(v)  # (B, h, T, d_k)
        scores = q_heads @ k_heads.transpose(-2, -1)  # (B, h, T, T)
        scaled = scores / math.sqrt(self.d_k)  # (B, h, T, T)
        attn_w = torch.softmax(scaled, dim=-1)  # (B, h, T, T)
        context = attn_w @ v_heads  # (B, h, T, d_k)
        merged = context.transpose(1, 2).flatten(2)  # (B, T, d_model)
        output = self.W_o(merged)  # (B, T, d_model)
        return output

    def _split(self, x):
        # First cut the width, then move the heads forward: every head keeps the whole sequence.
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)  # (B, h, T, d_k)
