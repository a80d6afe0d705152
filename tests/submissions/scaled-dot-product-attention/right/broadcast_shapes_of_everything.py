import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    front = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    Q, K, V = (x.expand(*front, *x.shape[-2:]) for x in (Q, K, V))
    scores = torch.einsum("...qd,...kd->...qk", Q, K) * Q.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, scores.new_full((), float("-inf")))
    weights = scores.softmax(-1)
    return torch.einsum("...qk,...kd->...qd", weights, V), weights
