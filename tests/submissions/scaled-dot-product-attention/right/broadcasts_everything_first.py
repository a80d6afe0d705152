import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Careful about ranks: brings the mask to the full shape before it is used."""
    if not (Q.ndim == K.ndim == V.ndim >= 2):
        raise TypeError("Q, K and V need the same number of axes, at least two")
    scores = torch.matmul(Q, K.transpose(-2, -1))
    scores = scores.mul(Q.shape[-1] ** -0.5)
    if mask is not None:
        if mask.dtype is not torch.bool:
            raise TypeError(f"expected a boolean mask, got {mask.dtype}")
        while mask.ndim < scores.ndim:
            mask = mask.unsqueeze(0)
        mask, scores = torch.broadcast_tensors(mask, scores)
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = torch.nn.functional.softmax(scores, dim=scores.ndim - 1)
    output = torch.matmul(weights, V)
    return (output, weights)
