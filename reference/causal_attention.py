"""The reference for ``causal-attention``: plain, one step a line, a shape behind every tensor.

Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3. Tested against a loop over heads and tokens in float64 and against
torch.nn.functional.
"""

import math

import torch
from torch import nn


class CausalMHA(nn.Module):
    """Self-attention by several heads side by side in which no token sees a later one.

    Args:
        d: width of the model, d_model.
        nheads: number of heads, h; must divide ``d``.
        context_length: the most tokens a sequence may have.

    Raises:
        ValueError: ``nheads`` does not divide ``d``.
    """

    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads != 0:
            raise ValueError(f"d = {d} cannot be shared evenly by nheads = {nheads}")
        self.h = nheads
        self.d_k = d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        # True = may attend: every token to itself and to those before it.
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        """Let the tokens of x (B, T, d_model) attend to themselves and to earlier ones; T is at most ``context_length``.

        Returns:
            The output (B, T, d_model).
        """
        q = self.q(x)  # (B, T, d_model)
        k = self.k(x)  # (B, T, d_model)
        v = self.v(x)  # (B, T, d_model)
        q_heads = self._split(q)  # (B, h, T, d_k)
        k_heads = self._split(k)  # (B, h, T, d_k)
        v_heads = self._split(v)  # (B, h, T, d_k)
        scores = q_heads @ k_heads.transpose(-2, -1)  # (B, h, T, T)
        scaled = scores / math.sqrt(self.d_k)  # (B, h, T, T)
        allowed = self.mask[: x.shape[1], : x.shape[1]]  # (T, T)
        masked = scaled.masked_fill(~allowed, float("-inf"))  # (B, h, T, T)
        attn_w = torch.softmax(masked, dim=-1)  # (B, h, T, T)
        context = attn_w @ v_heads  # (B, h, T, d_k)
        merged = context.transpose(1, 2).flatten(2)  # (B, T, d_model)
        output = self.out(merged)  # (B, T, d_model)
        return output

    def _split(self, x):
        # First cut the width, then move the heads forward: every head keeps the whole sequence.
        return x.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)  # (B, h, T, d_k)
