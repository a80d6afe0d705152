import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    if x.dim() > 1:
        return torch.stack([layer_norm(part, gamma, beta, eps) for part in x])
    centred = x - x.sum() / len(x)
    return centred / ((centred @ centred) / len(x) + eps).sqrt() * gamma + beta
