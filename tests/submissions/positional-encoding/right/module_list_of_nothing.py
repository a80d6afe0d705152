from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Sizes:
    width: int
    longest: int


class Table(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        rates = 1 / 10000 ** (torch.arange(0, sizes.width, 2) / sizes.width)
        angles = torch.arange(sizes.longest)[:, None] * rates
        waves = torch.cat((angles.sin()[..., None], angles.cos()[..., None]), dim=-1)
        self.register_buffer("waves", waves.flatten(1)[:, : sizes.width])

    def forward(self, length):
        return self.waves[:length]


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = Table(Sizes(d_model, max_len))
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        return self.drop(x + self.table(x.shape[1]))
