import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    # no bias anywhere, as in the paper
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.d_model = d_model
        self.h = h
        self.d_k = d_model // h

        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        bs, n_q, _ = Q.shape
        n_k = K.shape[1]

        # project, then cut into heads: (bs, T, d_model) -> (bs, h, T, d_k)
        q = self.W_Q(Q).view(bs, n_q, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(bs, n_k, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(bs, n_k, self.h, self.d_k).transpose(1, 2)

        # scaled dot product
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)

        # put the heads side by side again
        context = torch.matmul(weights, v)
        context = context.transpose(1, 2).contiguous().view(bs, n_q, self.d_model)
        output = self.W_O(context)
        return output, weights


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
