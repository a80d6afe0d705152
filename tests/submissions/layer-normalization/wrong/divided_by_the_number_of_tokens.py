import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[1]
    mean = x.sum(-1, keepdim=True) / d
    var = ((x - mean) ** 2).sum(-1, keepdim=True) / d
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta
