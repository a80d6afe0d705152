import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    rows = x.view(-1, 64)
    mean = rows.mean(dim=-1, keepdim=True)
    var = rows.var(dim=-1, keepdim=True, unbiased=False)
    return (gamma * (rows - mean) / torch.sqrt(var + eps) + beta).view(x.shape)
