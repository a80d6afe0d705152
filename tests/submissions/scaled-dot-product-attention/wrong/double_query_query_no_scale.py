import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    sim = torch.matmul(Q, Q.transpose(-2, -1))
    if mask is not None:
        sim = sim.masked_fill(~mask, float("-inf"))
    p = F.softmax(sim, dim=-1)
    return torch.matmul(p, V), p
