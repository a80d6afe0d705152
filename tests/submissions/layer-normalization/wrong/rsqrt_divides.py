import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = (x - mu).pow(2).mean(-1, keepdim=True)
    normed = (x - mu) / torch.rsqrt(var + eps)
    return normed * gamma + beta
