import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        # Zeile = Position, Spalte = Merkmal
        tabelle = torch.zeros(max_len, d_model)
        for position in range(max_len):
            for i in range(0, d_model, 2):
                winkel = position / math.pow(10000, i / d_model)
                tabelle[position, i] = math.sin(winkel)
                if i + 1 < d_model:
                    tabelle[position, i + 1] = math.cos(winkel)
        self.register_buffer("tabelle", tabelle)

    def forward(self, x):
        länge = x.shape[1]
        return x + self.tabelle[:länge]


if __name__ == "__main__":
    print(PositionalEncoding(4, 3)(torch.zeros(1, 3, 4)))
