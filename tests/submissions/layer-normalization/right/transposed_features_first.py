import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.movedim(-1, 0)
    y = y - y.mean(0)
    y = y / torch.sqrt(y.pow(2).mean(0) + eps)
    return y.movedim(0, -1) * gamma + beta
