import torch


class Base(torch.nn.Module):
    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, x):
        y = x.clone()
        y += self.table[: y.shape[1]]
        return y


class PositionalEncoding(Base):
    def __init__(self, d_model, max_len):
        pair = torch.div(torch.arange(d_model), 2, rounding_mode="floor")
        angles = torch.arange(max_len).view(-1, 1) / torch.pow(10000, 2 * pair / d_model)
        even = torch.arange(d_model) % 2 == 0
        super().__init__(torch.where(even, angles.sin(), angles.cos()))
