import torch
from torch import nn


class PositionalEncoding(nn.Module):
    """One position more than needed, features first."""

    def __init__(self, d_model, max_len):
        super().__init__()
        feature = torch.arange(d_model).unsqueeze(1)
        t = torch.arange(max_len + 1, dtype=torch.float64)
        angle = t * 10000.0 ** (-2.0 * (feature // 2).double() / d_model)
        self.register_buffer("columns", torch.where(feature % 2 == 1, angle.cos(), angle.sin()).float())

    def forward(self, x):
        return (x.mT + self.columns[:, : x.size(-2)]).mT.type_as(x)
