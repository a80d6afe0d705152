import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def to_additive(mask, like):
    """bool mask (True = keep) -> float mask (0 = keep, -inf = drop) of the right dtype and device"""
    additive = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return additive.masked_fill(mask.logical_not(), float("-inf"))


def attention(query, key, value, additive_mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if additive_mask is not None:
        scores = scores + additive_mask
    p_attn = F.softmax(scores, dim=-1)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super(MultiHeadAttention, self).__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        nbatches = Q.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip((self.W_Q, self.W_K, self.W_V), (Q, K, V))
        ]
        additive = None if mask is None else to_additive(mask, query)
        x, attn = attention(query, key, value, additive)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.W_O(x), attn
