import torch
import torch.nn as nn


def rearrange(x, pattern, **sizes):
    """A tiny einops: 'b t (h d) -> b h t d' and back."""
    left, right = (side.strip() for side in pattern.split("->"))

    def tokens(side):
        groups, open_ = [], None
        for tok in side.replace("(", " ( ").replace(")", " ) ").split():
            if tok == "(":
                open_ = []
            elif tok == ")":
                groups.append(open_)
                open_ = None
            elif open_ is None:
                groups.append([tok])
            else:
                open_.append(tok)
        return groups

    src, dst = tokens(left), tokens(right)
    known = dict(sizes)
    for group, n in zip(src, x.shape):
        unknown = [a for a in group if a not in known]
        for a in group:
            if a in known:
                n //= known[a]
        if unknown:
            known[unknown[0]] = n
    flat = [a for g in src for a in g]
    x = x.reshape([known[a] for a in flat])
    x = x.permute([flat.index(a) for g in dst for a in g])
    shape = []
    for g in dst:
        n = 1
        for a in g:
            n *= known[a]
        shape.append(n)
    return x.reshape(shape)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)
        q, k, v = map(lambda t: rearrange(t, "b t (h d) -> b h t d", h=self.h), (q, k, v))
        dots = torch.einsum("b h i d, b h j d -> b h i j", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            dots = dots.masked_fill(~mask, -torch.finfo(dots.dtype).max)
        attn = dots.softmax(dim=-1)
        out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)
        out = rearrange(out, "b h t d -> b t (h d)")
        return self.W_O(out), attn
