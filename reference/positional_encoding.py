"""The reference for ``positional-encoding``: plain, one step a line, a shape behind every tensor.

Source: Vaswani et al. 2017, section 3.5. Tested against a loop over positions and features in float64.
"""

import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    """Adds to every token a pattern of sines and cosines that says where in its sequence it stands.

    Args:
        d_model: width of the model; where it is odd, the last feature is a sine without its cosine.
        max_len: the most tokens a sequence may have.
    """

    def __init__(self, d_model, max_len):
        super().__init__()
        # Worked out in float64: a rounded rate, times a large position, is an angle that is far off.
        positions = torch.arange(max_len, dtype=torch.float64)  # (max_len)
        exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model  # 2i/d_model, one for each pair
        angles = positions.unsqueeze(1) * torch.exp(-math.log(10000) * exponents)  # (max_len, pairs)
        table = self._waves(angles)[:, :d_model]  # (max_len, d_model)
        self.register_buffer("table", table.to(torch.get_default_dtype()))

    def forward(self, x):
        """Add the encoding of the first T positions to x (B, T, d_model); T is at most ``max_len``.

        Returns:
            The output (B, T, d_model).
        """
        encoding = self.table[: x.shape[1]]  # (T, d_model)
        output = x + encoding  # (B, T, d_model), the same encoding for every sample
        return output

    def _waves(self, angles):
        # Sine, cosine, sine, cosine, … along the features.
        return torch.stack((torch.sin(angles), torch.cos(angles)), dim=-1).flatten(-2)
