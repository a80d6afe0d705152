import torch
import torch.nn as nn

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        print("d_model", d_model, "max_len", max_len)
        pe = torch.zeros(max_len, d_model)
        pos = torch.arange(max_len)
        for k in range(d_model):
            if k % 2 == 0:
                pe[:, k] = torch.sin(pos / (10000 ** (k / d_model)))
            else:
                pe[:, k] = torch.cos(pos / (10000 ** ((k - 1) / d_model)))
        print(pe[0], pe[1])
        self.register_buffer('pe', pe)

    def forward(self, x):
        print("x", x.shape, x.mean().item())
        n = x.shape[1]
        part = self.pe[0:n]
        print("part", part.shape)
        y = x + part
        print("y", y.shape)
        return y
