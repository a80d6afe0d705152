import torch
from torch import nn
from torch.nn.functional import log_softmax


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert not d % nheads
        self.nheads = nheads
        self.q, self.k, self.v = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("log_mask", torch.ones(context_length, context_length).tril().log())

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.nheads, -1).transpose(1, 2) for t in (self.q(x), self.k(x), self.v(x)))
        scores = q @ k.transpose(-2, -1) / (d // self.nheads) ** 0.5
        weights = log_softmax(scores + self.log_mask[:n, :n], dim=-1).exp()
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, d))
