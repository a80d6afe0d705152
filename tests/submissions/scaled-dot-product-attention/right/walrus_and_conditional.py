import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = (Q @ K.mT) / (d := Q.shape[-1]) ** 0.5
    return (w := (s if (m := mask) is None else s.masked_fill(~m, -torch.inf)).softmax(-1)) @ V, w
