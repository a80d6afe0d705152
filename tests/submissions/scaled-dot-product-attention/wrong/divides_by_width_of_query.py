import torch

def attend(scores, values):
    w = scores.softmax(dim=-1)
    return w @ values, w

def scaled_dot_product_attention(Q, K, V, mask=None):
    # normalise by the number of features so that the dot product is a mean
    s = (Q * (1.0 / Q.shape[-1])) @ K.mT
    if mask is not None:
        s.masked_fill_(mask.logical_not(), float("-inf"))
    return attend(s, V)
