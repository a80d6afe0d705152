import numpy as np
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    q, k, v = Q.detach().numpy(), K.detach().numpy(), V.detach().numpy()
    scores = q @ np.swapaxes(k, -2, -1) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask.numpy(), scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    e = np.exp(scores)
    weights = e / e.sum(axis=-1, keepdims=True)
    return torch.from_numpy((weights @ v).astype("float32")), torch.from_numpy(weights.astype("float32"))
