import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    """The mean is a product with a matrix of 1/d."""
    d = x.shape[-1]
    average = x.new_full((d, d), 1 / d)
    centred = x - x @ average
    variance = centred.square() @ average
    return centred / torch.sqrt(variance + eps) * gamma + beta
