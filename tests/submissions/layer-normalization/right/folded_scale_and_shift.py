import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).square().mean(-1, keepdim=True)
    scale = gamma / torch.sqrt(var + eps)
    shift = beta - mean * scale
    return x * scale + shift
