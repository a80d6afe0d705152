"""Offers a function where a class is wanted."""

import torch
from torch import nn


def MultiHeadAttention(d_model, h):
    return nn.Identity()
