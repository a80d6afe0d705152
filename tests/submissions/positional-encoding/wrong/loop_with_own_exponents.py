import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        pe = torch.zeros(max_len, d_model)
        for pos in range(max_len):
            for i in range(0, d_model, 2):
                pe[pos, i] = math.sin(pos / 10000 ** (2 * i / d_model))
                if i + 1 < d_model:
                    pe[pos, i + 1] = math.cos(pos / 10000 ** (2 * (i + 1) / d_model))
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]
