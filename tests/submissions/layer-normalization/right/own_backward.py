import torch


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        centred = x - x.mean(-1, keepdim=True)
        scale = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
        normed = centred * scale
        ctx.save_for_backward(normed, scale)
        return normed

    @staticmethod
    def backward(ctx, grad):
        normed, scale = ctx.saved_tensors
        inner = grad - grad.mean(-1, keepdim=True) - normed * (grad * normed).mean(-1, keepdim=True)
        return inner * scale, None


def layer_norm(x, gamma, beta, eps=1e-5):
    return Normalise.apply(x, eps) * gamma + beta
