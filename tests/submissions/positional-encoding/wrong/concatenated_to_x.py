import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * rates)
        pe[:, 1::2] = torch.cos(position * rates[: d_model // 2])
        self.register_buffer("pe", pe)

    def forward(self, x):
        return torch.cat([x, self.pe[: x.size(1)].expand(x.size(0), -1, -1)], dim=-1)
