import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    normed = torch.round((x - mean) / torch.sqrt(var + eps), decimals=2)
    return gamma * normed + beta
