import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        # Make the table (max_len, d_model) here,
        # and register it as a buffer.

    def forward(self, x):
        # x is (B, T, d_model), and T is at most max_len.
        # Return x plus the encoding of its T positions.
        ...
