import torch as t
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.cfg = dict(heads=nheads, size=d // nheads)
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("IGNORE", t.tensor(-1e5))
        self.register_buffer("tri", t.triu(t.ones(context_length, context_length, dtype=t.bool), diagonal=1))

    def apply_causal_mask(self, scores):
        n = scores.size(-1)
        return scores.masked_fill(self.tri[:n, :n], self.IGNORE.to(scores.dtype))

    def forward(self, x):
        h, e = self.cfg["heads"], self.cfg["size"]
        q = self.q(x).unflatten(2, (h, e))
        k = self.k(x).unflatten(2, (h, e))
        v = self.v(x).unflatten(2, (h, e))
        scores = t.einsum("bihe,bjhe->bhij", q, k) / e**0.5
        pattern = self.apply_causal_mask(scores).softmax(-1)
        z = t.einsum("bjhe,bhij->bihe", v, pattern)
        return self.out(z.flatten(2))
