import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        # Milestone 1: the matrices W_Q, W_K, W_V, W_O,
        # each an nn.Linear without bias.

    def forward(self, Q, K, V, mask=None):
        # Q is (B, T_q, d_model);
        # K and V are (B, T_k, d_model).
        # mask: True means "may attend".
        # Return the output (B, T_q, d_model)
        # and the weights (B, h, T_q, T_k).
        ...
