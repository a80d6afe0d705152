import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.cat([torch.sin(position * rates), torch.cos(position * rates)], dim=1)[:, :d_model]
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]
