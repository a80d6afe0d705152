import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    match (Q.shape, K.shape, V.shape):
        case ([*_, _, dq], [*_, tk, dk], [*_, tv, _]) if dq == dk and tk == tv:
            scores = Q @ K.transpose(-1, -2) / dk**0.5
        case shapes:
            raise ValueError(f"these shapes do not belong together: {shapes}")
    match mask:
        case None:
            pass
        case torch.Tensor(dtype=torch.bool):
            scores = scores.masked_fill(~mask, float("-inf"))
        case _:
            scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
