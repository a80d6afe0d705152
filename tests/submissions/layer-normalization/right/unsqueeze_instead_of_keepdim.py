import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1).unsqueeze(-1)
    diff = x - mean
    variance = (diff * diff).mean(dim=-1).unsqueeze(-1)
    inv = 1 / torch.sqrt(variance + eps)
    return diff * inv * gamma + beta
