import torch


def my_softmax(x):
    # subtract the maximum first, otherwise exp overflows
    biggest = x.max(dim=-1, keepdim=True).values
    e = torch.exp(x - biggest)
    return e / e.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1)) / (K.size(-1) ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = my_softmax(scores)
    return torch.matmul(weights, V), weights
