import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    # x is (..., d): any number of axes in front, or none.
    # gamma and beta are (d).
    # Return the normalised tokens, (..., d).
    ...
