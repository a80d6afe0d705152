import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=(0, 1), keepdim=True)
    var = ((x - mean) ** 2).mean(dim=(0, 1), keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
