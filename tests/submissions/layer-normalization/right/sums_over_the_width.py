import math
import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    mean = x.sum(-1, keepdim=True) / d
    centered = x - mean
    var = torch.sum(centered ** 2, dim=-1, keepdim=True) / d
    std = torch.sqrt(var + eps)
    return centered / std * gamma + beta
