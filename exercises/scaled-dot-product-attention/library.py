from torch.nn import functional as F


def library(dims, weights, Q, K, V):
    """torch's own function. It returns the output alone, since the quick kernels behind it never write the weights down."""
    return F.scaled_dot_product_attention(Q, K, V)  # (B, T_q, d_v)
