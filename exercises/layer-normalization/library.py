from torch.nn import functional as F


def library(dims, weights, x, gamma, beta):
    """torch's own function; the layer nn.LayerNorm keeps gamma and beta as its weight and bias."""
    return F.layer_norm(x, x.shape[-1:], gamma, beta)  # (..., d)
