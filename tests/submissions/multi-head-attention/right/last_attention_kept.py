import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    "Keeps the last attention map for plotting, like the Annotated Transformer."

    def __init__(self, d_model, h):
        super(MultiHeadAttention, self).__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.attn = None

    def forward(self, Q, K, V, mask=None):
        nbatches = Q.size(0)
        query = self.W_Q(Q).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
        key = self.W_K(K).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
        value = self.W_V(V).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)

        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p_attn = scores.softmax(dim=-1)
        self.attn = p_attn.detach().clone()
        x = torch.matmul(p_attn, value)

        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        del query
        del key
        del value
        return self.W_O(x), p_attn
