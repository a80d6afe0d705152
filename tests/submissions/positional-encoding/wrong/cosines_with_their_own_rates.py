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
        odd_rate = 10000 ** (-torch.arange(1, d_model, 2) / d_model)
        table[:, 1::2] = torch.cos(position * odd_rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.shape[1]]
