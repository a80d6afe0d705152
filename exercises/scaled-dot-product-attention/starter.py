import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # Q is (..., T_q, d_k);
    # K is (..., T_k, d_k) and V is (..., T_k, d_v).
    # The dots stand for any axes in front, or none.
    # mask: True means "may attend".
    # Return the output (..., T_q, d_v)
    # and the weights (..., T_q, T_k).
    ...
