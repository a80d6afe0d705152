import torch
from torch import nn


def layer_norm(x, gamma, beta, eps=1e-5):
    norm = nn.LayerNorm(x.shape[-1], eps=eps, elementwise_affine=False)
    return gamma * norm(x) + beta
