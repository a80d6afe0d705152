import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    def one(token):
        c = token - token.mean()
        return gamma * c * torch.rsqrt(c.pow(2).mean() + eps) + beta

    return torch.vmap(one)(x.reshape(-1, x.shape[-1])).reshape(x.shape)
