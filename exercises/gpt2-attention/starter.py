import math

import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads,
                 dropout=0.0, qkv_bias=False):
        super().__init__()
        # Milestone 1: the layers q, k and v, with a bias
        # only if qkv_bias is true, and out, with one.
        # Milestone 3: the mask, as a buffer.

    def forward(self, x):
        # x is (B, T, d_in) with T <= context_length.
        # No token may see a later one.
        # In training some weights are dropped.
        # Return the output (B, T, d_out).
        ...
