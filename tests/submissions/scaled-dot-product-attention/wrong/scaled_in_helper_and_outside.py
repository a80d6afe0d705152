import torch
import torch.nn.functional as F


def get_scores(q, k):
    d = q.size(-1)
    return torch.matmul(q, k.transpose(-2, -1)) * d ** -0.5


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = get_scores(Q, K)
    scores = scores / (Q.size(-1) ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    w = F.softmax(scores, dim=-1)
    return torch.matmul(w, V), w
