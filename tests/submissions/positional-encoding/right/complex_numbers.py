import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        pairs = (d_model + 1) // 2
        exponent = 2 * torch.arange(pairs) / d_model
        angles = torch.arange(max_len)[:, None] / 10000 ** exponent
        turns = torch.polar(torch.ones_like(angles), angles)
        both = torch.view_as_real(turns).flip(-1).reshape(max_len, 2 * pairs)
        self.register_buffer("both", both[:, :d_model].contiguous())

    def forward(self, x):
        B, T, d_model = x.shape
        return x + self.both[:T].expand(B, T, d_model)
