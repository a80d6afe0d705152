import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    energy = torch.einsum("...id,...jd->...ij", Q, K)
    if mask is not None:
        energy = energy.masked_fill(~mask, torch.finfo(energy.dtype).min)
    a = F.softmax(energy, dim=-1)
    a = a * d_k ** -0.5      # "scaled" dot product
    return a @ V, a
