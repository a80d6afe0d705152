import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scale = Q.shape[-1] ** 0.5
    gates = torch.sigmoid(Q @ K.transpose(-2, -1) / scale)
    if mask is not None:
        gates = gates * mask
    gates = gates / gates.sum(-1, keepdim=True)
    return gates @ V, gates
