import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.d_model = d_model
        self.max_len = max_len

    def forward(self, x):
        T = x.size(1)
        position = torch.arange(T, device=x.device, dtype=x.dtype).unsqueeze(1)
        exponents = torch.arange(0, self.d_model, 2, device=x.device, dtype=x.dtype) / self.d_model
        angles = position * torch.exp(-math.log(10000.0) * exponents)
        pe = torch.zeros(T, self.d_model, device=x.device, dtype=x.dtype)
        pe[:, 0::2] = torch.sin(angles)
        pe[:, 1::2] = torch.cos(angles[:, : self.d_model // 2])
        return x + pe
