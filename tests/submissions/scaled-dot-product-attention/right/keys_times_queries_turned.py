import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Works with the transposed table: a column for each query."""
    table = K @ Q.transpose(-2, -1) / Q.shape[-1] ** 0.5          # (..., T_k, T_q)
    if mask is not None:
        full = mask.expand(*Q.shape[:-1], K.shape[-2])
        table = table.masked_fill(~full.transpose(-2, -1), float("-inf"))
    columns = torch.softmax(table, dim=-2)                         # every column sums to one
    output = (V.transpose(-2, -1) @ columns).transpose(-2, -1)
    return output, columns.transpose(-2, -1)
