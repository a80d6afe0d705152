import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.num_heads = h
        self.size_per_head = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _heads(self, t):
        return t.unflatten(-1, (self.num_heads, self.size_per_head)).permute(0, 2, 1, 3)

    def forward(self, Q, K, V, mask=None):
        q = self._heads(self.W_Q(Q)) * self.size_per_head ** -0.5
        k = self._heads(self.W_K(K))
        v = self._heads(self.W_V(V))
        logits = torch.einsum("bhid,bhjd->bhij", q, k)
        if mask is not None:
            logits = logits.masked_fill(~mask, -1e9)
        # softmax in log space is more stable
        weights = (logits - logits.logsumexp(dim=-2, keepdim=True)).exp()
        out = torch.einsum("bhij,bhjd->bihd", weights, v).flatten(start_dim=2)
        return self.W_O(out), weights
