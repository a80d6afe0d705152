import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.size(-1)
    mean = x.mean(-1, keepdim=True)
    if d == 1:
        var = torch.zeros_like(mean)
    else:
        var = x.var(-1, keepdim=True) * (d - 1) / d
    return gamma * ((x - mean) / torch.sqrt(var + eps)) + beta
