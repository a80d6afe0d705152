import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    *lead, T_q, d_k = Q.shape
    q = Q.reshape(-1, T_q, d_k)
    k = Q.reshape(-1, T_q, d_k)        # copied from the line above
    v = V.reshape(-1, V.shape[-2], V.shape[-1])
    scores = torch.bmm(q, k.transpose(1, 2)) / d_k ** 0.5
    scores = scores.reshape(*lead, T_q, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    w = F.softmax(scores, dim=-1)
    out = torch.bmm(w.reshape(-1, T_q, w.shape[-1]), v)
    return out.reshape(*lead, T_q, -1), w
