import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    shape = x.shape
    rows = x.reshape(-1, shape[-1])
    mean = rows.mean(1, keepdim=True)
    var = rows.var(1, keepdim=True, unbiased=False)
    rows = (rows - mean) / torch.sqrt(var + eps)
    rows = rows * gamma + beta
    return rows.view(shape)
