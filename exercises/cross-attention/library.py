import torch
from torch import nn


def library(dims, weights, x, memory=None):
    """torch's own layer: it is given the queries' sequence first, then twice the one that keys and values come from."""
    layer = nn.MultiheadAttention(dims["d_model"], dims["h"], bias=False, batch_first=True, dtype=x.dtype)
    layer.in_proj_weight.copy_(torch.cat([weights["W_Q"], weights["W_K"], weights["W_V"]]))
    layer.out_proj.weight.copy_(weights["W_O"])
    source = x if memory is None else memory
    output, _ = layer(x, source, source, need_weights=False)
    return output  # (B, T_q, d_model)
