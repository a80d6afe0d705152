import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super().__init__()
        assert d % nheads == 0
        self.nheads = nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        mask = torch.zeros(context_length, context_length, dtype=torch.bool)
        rows, columns = torch.tril_indices(context_length, context_length)
        mask[rows, columns] = True
        self.mask = nn.Buffer(mask)

    def forward(self, x):
        n = x.shape[1]
        part = self.mask[:n][:, :n]
        q, k, v = (w(x).unflatten(-1, (self.nheads, -1)).transpose(1, 2) for w in (self.q, self.k, self.v))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        weights = scores.masked_fill(part.logical_not(), -torch.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))
