import torch
from torch import nn
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        exponents = torch.arange(0, d_model, 2).double().div(d_model)
        angles = torch.einsum("t,i->ti", torch.arange(max_len).double(), 1e4 ** -exponents)
        table = torch.empty(max_len, d_model)
        table[:, ::2] = angles.sin()
        if d_model > 1:
            table[:, 1::2] = angles[:, : d_model // 2].cos()
        self.register_buffer("weights", table)

    def forward(self, x):
        positions = torch.arange(x.shape[1], device=x.device)
        return x + F.embedding(positions, self.weights)
