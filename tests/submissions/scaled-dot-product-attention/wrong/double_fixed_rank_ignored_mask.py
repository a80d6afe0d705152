import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    batch, T, d_k = Q.shape
    scores = torch.bmm(Q, K.permute(0, 2, 1)) / math.sqrt(d_k)
    weights = F.softmax(scores, dim=-1)
    return torch.bmm(weights, V), weights
