import math
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        even = d_model + d_model % 2
        pos = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div = torch.exp(torch.arange(0, even, 2).float() * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, even)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe[:, :d_model].unsqueeze(0))
        self.d_model = d_model
        self.max_len = max_len

    def forward(self, x):
        batch, seq_len, _ = x.size()
        assert seq_len <= self.max_len, "sequence too long"
        return x + self.pe[:, :seq_len, :]
