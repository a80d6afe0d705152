import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    centred = x - x.mean()
    spread = torch.sqrt((centred ** 2).mean() + eps)
    return gamma * centred / spread + beta
