import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Mask, scale and product in one baddbmm, as Megatron does it."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("hidden size must be divisible by the number of heads")
        self.num_attention_heads = h
        self.hidden_size_per_attention_head = d_model // h
        self.norm_factor = math.sqrt(self.hidden_size_per_attention_head)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _fold(self, x):
        b, s, _ = x.shape
        np_, hn = self.num_attention_heads, self.hidden_size_per_attention_head
        return x.view(b, s, np_, hn).transpose(1, 2).reshape(b * np_, s, hn)

    def forward(self, Q, K, V, mask=None):
        b, sq, _ = Q.shape
        sk = K.size(1)
        np_ = self.num_attention_heads
        query, key, value = self._fold(self.W_Q(Q)), self._fold(self.W_K(K)), self._fold(self.W_V(V))

        bias = torch.zeros(b, np_, sq, sk, dtype=query.dtype, device=query.device)
        if mask is not None:
            bias = bias.masked_fill(~mask, float("-inf"))
        scores = torch.baddbmm(
            bias.view(b * np_, sq, sk), query, key.transpose(1, 2), beta=1.0, alpha=1.0 / self.norm_factor
        )
        probs = torch.softmax(scores, dim=-1)
        context = torch.bmm(probs, value).view(b, np_, sq, -1).transpose(1, 2).reshape(b, sq, -1)
        return self.W_O(context), probs.view(b, np_, sq, sk)
