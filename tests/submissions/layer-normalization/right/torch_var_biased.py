import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mu = torch.mean(x, -1, True)
    var = torch.var(x, -1, unbiased=False, keepdim=True)
    x_hat = (x - mu) / (var + eps).sqrt()
    return x_hat * gamma + beta
