import torch
from torch import nn, Tensor


class PositionalEncoding(nn.Module):
    table: Tensor

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.register_buffer("table", self.make(d_model, max_len), persistent=False)

    @staticmethod
    def make(d_model: int, max_len: int) -> Tensor:
        t = torch.arange(max_len, dtype=torch.float).view(-1, 1)
        i = torch.arange((d_model + 1) // 2, dtype=torch.float).view(1, -1)
        angle = t * torch.pow(10_000.0, -2 * i / d_model)
        return torch.stack([angle.sin(), angle.cos()], dim=2).view(max_len, -1)[:, :d_model]

    def forward(self, x: Tensor) -> Tensor:
        return x.add(self.table.narrow(0, 0, x.size(1)))
