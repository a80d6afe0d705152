import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    diff = x - mean
    spread = diff.abs().mean(dim=-1, keepdim=True)
    return gamma * diff / (spread + eps) + beta
