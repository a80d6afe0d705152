import math

import torch
from torch import nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        # Milestone 1: the layers q, k and v without
        # bias, and out with one.
        # Milestone 2: the mask, as a buffer.

    def forward(self, x):
        # x is (B, n, d) with n <= context_length.
        # No token may see a later one.
        # Return the output (B, n, d).
        ...
