import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    lead = Q.shape[:-2]
    n = math.prod(lead)
    t_q, d_k = Q.shape[-2:]
    t_k, d_v = V.shape[-2:]
    q = Q.reshape(n, t_q, d_k)
    k = K.reshape(n, t_k, d_k)
    v = V.reshape(n, t_k, d_v)
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(*lead, t_q, t_k).reshape(n, t_q, t_k), -math.inf)
    weights = torch.softmax(scores, dim=2)
    output = torch.bmm(weights, v)
    return output.reshape(*lead, t_q, d_v), weights.reshape(*lead, t_q, t_k)
