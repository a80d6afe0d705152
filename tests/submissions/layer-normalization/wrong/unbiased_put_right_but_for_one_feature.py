import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True) * (d - 1) / d
    return (x - mean) / (var + eps).sqrt() * gamma + beta
