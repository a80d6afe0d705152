import torch
from torch import nn
from torch.masked import masked_tensor  # noqa: F401  not needed in the end


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (w(x).unflatten(-1, (self.nheads, -1)).transpose(1, 2) for w in (self.q, self.k, self.v))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        mask = self.mask.narrow(0, 0, n).narrow(1, 0, n).expand_as(scores)
        weights = torch.masked.softmax(scores, -1, mask=mask)
        return self.out((weights @ v).transpose(1, 2).flatten(2))
