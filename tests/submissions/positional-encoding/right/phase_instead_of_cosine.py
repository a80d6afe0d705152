import math
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        f = torch.arange(d_model)
        rate = 10000.0 ** (-(f - f % 2) / d_model)
        t = torch.arange(max_len, dtype=torch.float64)
        table = torch.sin(torch.outer(t, rate.double()) + (f % 2) * math.pi / 2)
        self.register_buffer("table", table.float())

    def forward(self, x):
        return self.table[: x.shape[1]] + x
