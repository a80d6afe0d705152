"""Lesson 80 homework: attention by hand."""
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights


if __name__ == "__main__":
    q = torch.randn(2, 4, 8)
    out, w = scaled_dot_product_attention(q, q, q)
    print(out.shape, w.shape)
