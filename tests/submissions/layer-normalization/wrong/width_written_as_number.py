import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    diff = x - mean
    var = (diff ** 2).sum(dim=-1, keepdim=True) / 512
    return gamma * diff / torch.sqrt(var + eps) + beta
