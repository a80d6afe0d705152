import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        # Milestone 1: the matrices W_qkv (d_model
        # to 3 * d_model) and W_o (d_model to
        # d_model), each an nn.Linear without bias.

    def forward(self, x):
        # x is (B, T, d_model).
        # Return the output (B, T, d_model).
        ...
