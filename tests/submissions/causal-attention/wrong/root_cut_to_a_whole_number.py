import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    """Kausale Aufmerksamkeit mit mehreren Köpfen."""

    def __init__(self, d, nheads, context_length):
        super().__init__()
        if d % nheads != 0:
            raise ValueError("Die Breite muss durch die Anzahl der Köpfe teilbar sein.")
        self.köpfe = nheads
        self.breite = d // nheads
        self.q = nn.Linear(d, d, bias=False)
        self.k = nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(d, d)
        # Wahr heißt: verdeckt, denn dieses Token kommt erst noch.
        self.register_buffer("zukunft", torch.ones(context_length, context_length).triu(1) > 0)

    def forward(self, x):
        b, n, d = x.size()
        # (B, n, d) -> (B, h, n, d/h)
        anfragen = self.q(x).view(b, n, self.köpfe, self.breite).transpose(1, 2)
        schlüssel = self.k(x).view(b, n, self.köpfe, self.breite).transpose(1, 2)
        werte = self.v(x).view(b, n, self.köpfe, self.breite).transpose(1, 2)
        punkte = torch.matmul(anfragen, schlüssel.transpose(-2, -1)) / int(self.breite**0.5)
        punkte = punkte.masked_fill(self.zukunft[:n, :n], float("-inf"))
        gewichte = torch.softmax(punkte, dim=-1)
        gemischt = torch.matmul(gewichte, werte)
        return self.out(gemischt.transpose(1, 2).contiguous().view(b, n, d))


if __name__ == "__main__":
    print(CausalMHA(8, 2, 16)(torch.randn(2, 3, 8)).shape)
