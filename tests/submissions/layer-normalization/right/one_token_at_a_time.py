import torch


def normalise(token, gamma, beta, eps):
    centred = token - token.mean()
    return gamma * centred / torch.sqrt((centred ** 2).mean() + eps) + beta


def layer_norm(x, gamma, beta, eps=1e-5):
    tokens = x.reshape(-1, x.shape[-1])
    done = [normalise(token, gamma, beta, eps) for token in tokens]
    return torch.stack(done).reshape(x.shape)
