import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean((-1,), True)
    std = torch.std(x, dim=-1, keepdim=True, correction=0)
    return torch.lerp(beta.expand_as(x), gamma * (x - mean) / torch.sqrt(std ** 2 + eps) + beta, 1.0)
