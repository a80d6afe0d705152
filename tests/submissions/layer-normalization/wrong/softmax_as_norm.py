import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    normed = torch.softmax(x, dim=-1)
    return gamma * normed + beta
