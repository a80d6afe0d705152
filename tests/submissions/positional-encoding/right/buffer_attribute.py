import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        # interleave the halves by a transpose
        half = (d_model + 1) // 2
        angle = torch.arange(max_len).unsqueeze(-1) * 10000 ** (-2.0 * torch.arange(half) / d_model)
        both = torch.cat([angle.sin(), angle.cos()], dim=1)
        both = both.view(max_len, 2, half).transpose(1, 2).reshape(max_len, 2 * half)
        self.pe = nn.Buffer(both[:, :d_model].clone())

    def forward(self, x):
        return torch.stack([sample + self.pe[: len(sample)] for sample in x])
