import functools
import torch


def same_leading_axes(f):
    @functools.wraps(f)
    def wrapper(Q, K, V, mask=None):
        if Q.shape[:-2] != K.shape[:-2] or K.shape[:-1] != V.shape[:-1]:
            raise ValueError(f"shapes do not fit: {tuple(Q.shape)}, {tuple(K.shape)}, {tuple(V.shape)}")
        if Q.shape[-1] != K.shape[-1]:
            raise ValueError("queries and keys need the same width")
        output, weights = f(Q, K, V, mask)
        assert output.shape == (*Q.shape[:-1], V.shape[-1])
        assert weights.shape == (*Q.shape[:-1], K.shape[-2])
        return output, weights

    return wrapper


@same_leading_axes
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ V, weights
