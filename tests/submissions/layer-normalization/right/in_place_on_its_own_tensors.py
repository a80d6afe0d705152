import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    out = x - x.mean(dim=-1, keepdim=True)
    scale = out.square().mean(dim=-1, keepdim=True)
    scale += eps
    out = out / scale.sqrt()
    out = out.mul(gamma)
    out += beta
    return out
