from torch import *
from torch.nn.functional import *
from math import inf, sqrt   # last, because torch has a sqrt of its own


def scaled_dot_product_attention(Q, K, V, mask=None):
    x = matmul(Q, transpose(K, -2, -1)) / sqrt(Q.shape[-1])
    if mask is not None:
        x = masked_fill(x, logical_not(mask), -inf)
    x = softmax(x, dim=-1)
    return matmul(x, V), x
