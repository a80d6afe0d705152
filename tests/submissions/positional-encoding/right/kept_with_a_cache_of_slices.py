import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        t = torch.arange(max_len).reshape(-1, 1)
        two_i = torch.arange(0, d_model, 2).reshape(1, -1)
        angle = t / torch.pow(torch.tensor(10000.0), two_i / d_model)
        sin, cos = angle.sin(), angle.cos()
        columns = [c for pair in zip(sin.unbind(1), cos.unbind(1)) for c in pair][:d_model]
        self.register_buffer("table", torch.stack(columns, dim=1))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        rows = self.table[: x.shape[-2]]
        return torch.add(x, rows[None].to(x.dtype))
