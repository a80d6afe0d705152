import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """h heads in parallel, then W_O mixes them."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model % h must be 0"
        self.h = h
        self.scale = (d_model // h) ** -0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model)

    def heads(self, x):
        return torch.stack(x.chunk(self.h, dim=-1), dim=1)

    def forward(self, Q, K, V, mask=None):
        q = self.heads(self.W_Q(Q))
        k = self.heads(self.W_K(K))
        v = self.heads(self.W_V(V))

        att_logits = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if mask is not None:
            att_logits = att_logits + torch.zeros_like(att_logits).masked_fill(~mask, float("-inf"))
        att = att_logits.softmax(dim=-1)

        out = torch.einsum("bhqk,bhkd->bhqd", att, v)
        out = torch.cat(out.unbind(dim=1), dim=-1)
        return self.W_O(out), att


if __name__ == "__main__":
    torch.manual_seed(0)
    causal = torch.tril(torch.ones(5, 5)).bool()
    x = torch.randn(1, 5, 12)
    out, attn = MultiHeadAttention(12, 3)(x, x, x, causal)
    print(attn[0, 0])
