import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    centred = x - mean
    std = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
    return gamma * centred / torch.sqrt(std.square() + eps) + beta
