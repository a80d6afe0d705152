import math

import torch
from torch import nn
from torch.nn import init


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim = d_model
        self.num_heads = h
        self.head_dim = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.reset_parameters()

    def reset_parameters(self):
        # see https://arxiv.org/abs/1706.03762 and fairseq
        gain = 1 / math.sqrt(2)
        for layer in (self.W_Q, self.W_K, self.W_V):
            init.xavier_uniform_(layer.weight, gain=gain)
        with torch.no_grad():
            self.W_O.weight.normal_(mean=0.0, std=self.embed_dim**-0.5)

    def forward(self, Q, K, V, mask=None):
        bsz, tgt_len, embed_dim = Q.shape
        src_len = K.size(1)
        q = self.W_Q(Q) * self.head_dim**-0.5
        k = self.W_K(K)
        v = self.W_V(V)
        q = q.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(bsz, src_len, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(bsz, src_len, self.num_heads, self.head_dim).transpose(1, 2)

        attn_weights = torch.matmul(q, k.transpose(2, 3))
        if mask is not None:
            attn_weights = attn_weights.masked_fill(~mask, float("-inf"))
        attn_weights = torch.softmax(attn_weights, dim=-1)
        attn = torch.matmul(attn_weights, v)
        attn = attn.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.W_O(attn), attn_weights
