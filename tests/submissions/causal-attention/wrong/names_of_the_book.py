import torch
from torch import nn


class CausalMHA(nn.Module):
    """Keeps the last weights to look at, and never reads them."""

    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.d, self.nheads, self.context_length = d, nheads, context_length
        self.W_query = nn.Linear(d, d, bias=False)
        self.W_key = nn.Linear(d, d, bias=False)
        self.W_value = nn.Linear(d, d, bias=False)
        self.out_proj = nn.Linear(d, d)
        self.dropout = nn.Dropout(0.0)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))
        self.last = None

    def forward(self, x):
        B, num_tokens, d = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(B, num_tokens, self.nheads, d // self.nheads)
        values = values.view(B, num_tokens, self.nheads, d // self.nheads)
        queries = queries.view(B, num_tokens, self.nheads, d // self.nheads)
        keys = keys.transpose(1, 2)
        queries = queries.transpose(1, 2)
        values = values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        self.last = attn_weights.detach()
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(B, num_tokens, self.d)
        return self.out_proj(context_vec)

    def extra_repr(self):
        return f"d={self.d}, nheads={self.nheads}, context_length={self.context_length}"
