"""The reference for ``gpt2-attention``: plain, one step a line, a shape behind every tensor.

Source: Radford et al. 2019 and the code released with it. Tested against a loop over heads in float64 and against
torch.nn.functional.
"""

import math

import torch
from torch import nn


class CausalMHA(nn.Module):
    """Causal attention by several heads side by side, from one width to another, with dropout on the weights.

    Args:
        d_in: width of what comes in.
        d_out: width of what goes out, shared out among the heads.
        context_length: the most tokens there can be.
        nheads: number of heads; must divide ``d_out``.
        dropout: share of the attention weights that is dropped in training.
        qkv_bias: whether queries, keys and values have a bias.

    Raises:
        ValueError: ``nheads`` does not divide ``d_out``.
    """

    mask: torch.Tensor

    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super().__init__()
        if d_out % nheads != 0:
            raise ValueError(f"d_out = {d_out} cannot be shared evenly by nheads = {nheads} heads")
        self.h = nheads
        self.d_k = d_out // nheads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        """Attend from every token of x (B, T, d_in) to itself and to those before it.

        Returns:
            The output (B, T, d_out).
        """
        mask = self.mask[: x.shape[1], : x.shape[1]]  # (T, T), True = may attend
        q = self.q(x)  # (B, T, d_out)
        k = self.k(x)  # (B, T, d_out)
        v = self.v(x)  # (B, T, d_out)
        q_heads = self._split(q)  # (B, h, T, d_k)
        k_heads = self._split(k)  # (B, h, T, d_k)
        v_heads = self._split(v)  # (B, h, T, d_k)
        scores = q_heads @ k_heads.transpose(-2, -1)  # (B, h, T, T)
        scaled = scores / math.sqrt(self.d_k)  # (B, h, T, T)
        masked = scaled.masked_fill(~mask, float("-inf"))  # (B, h, T, T)
        attn_w = self.dropout(torch.softmax(masked, dim=-1))  # (B, h, T, T), dropped in training only
        context = attn_w @ v_heads  # (B, h, T, d_k)
        merged = context.transpose(1, 2).flatten(2)  # (B, T, d_out)
        output = self.out(merged)  # (B, T, d_out)
        return output

    def _split(self, x):
        # First cut the width, then move the heads forward: every head keeps the whole sequence.
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)  # (B, h, T, d_k)
