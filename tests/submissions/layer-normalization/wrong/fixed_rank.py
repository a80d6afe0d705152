import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    B, T, d = x.shape
    mean = x.mean(dim=2).view(B, T, 1)
    var = x.var(dim=2, unbiased=False).view(B, T, 1)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
