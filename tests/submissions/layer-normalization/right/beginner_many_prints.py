import torch

def layer_norm(x, gamma, beta, eps=1e-5):
    print("x", x.shape, x.round(decimals=2))
    mean = x.mean(-1, keepdim=True)
    print("mean", mean.shape)
    x = x - mean
    print("mean now", x.mean(-1))
    squared = x * x
    variance = squared.mean(-1, keepdim=True)
    print("variance", variance.shape)
    std = torch.sqrt(variance + eps)
    result = x / std
    result = result * gamma
    result = result + beta
    print("done", result.shape)
    return result
