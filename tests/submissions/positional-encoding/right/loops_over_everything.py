import math
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        rows = []
        for t in range(max_len):
            row = []
            for f in range(d_model):
                angle = t / 10000 ** (2 * (f // 2) / d_model)
                row.append(math.sin(angle) if f % 2 == 0 else math.cos(angle))
            rows.append(row)
        self.register_buffer("encodings", torch.tensor(rows))

    def forward(self, x):
        T = x.shape[1]
        return x + self.encodings[:T, :]
