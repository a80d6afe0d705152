import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        rate = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
        table = torch.zeros(max_len, d_model)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate[: d_model // 2])
        self.register_buffer("table", table)
        self.d_model = d_model

    def _table(self, T):
        t = torch.arange(T).unsqueeze(1)
        f = torch.arange(self.d_model)
        angle = t / 10000 ** (f // 2 * 2 / self.d_model)
        return torch.where(f % 2 == 0, angle.sin(), angle.cos())

    def forward(self, x):
        return x + self._table(x.shape[1])
