import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    def similarity():
        return Q @ K.transpose(-2, -1)

    def scaled(x):
        return x * Q.size(-1) ** -0.5

    def visible(x):
        if mask is None:
            return x
        return x.masked_fill(mask.bitwise_not(), -torch.inf)

    def normalised(x):
        return x.softmax(dim=-1)

    weights = normalised(visible(scaled(similarity())))
    return weights @ V, weights
