import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        # Milestone 1: the matrices W_Q, W_K, W_V, W_O,
        # each an nn.Linear without bias.

    def forward(self, x, memory=None):
        # x is (B, T_q, d_model): it asks.
        # memory is (B, T_k, d_model): it answers.
        # Without memory, x answers itself.
        # Return the output (B, T_q, d_model), alone.
        ...
