import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, breite, koepfe):
        super().__init__()
        if breite % koepfe:
            raise ValueError("die Breite lässt sich nicht gleichmäßig aufteilen")
        self.koepfe = koepfe
        self.kopfbreite = breite // koepfe
        self.W_qkv = nn.Linear(breite, 3 * breite, bias=False)
        self.W_o = nn.Linear(breite, breite, bias=False)

    def forward(self, x):
        stapel, laenge, breite = x.shape
        # Kopf zuerst: (h, B, T, 3, d)
        alles = self.W_qkv(x).view(stapel, laenge, self.koepfe, 3, self.kopfbreite).permute(2, 0, 1, 3, 4)
        frage, schluessel, wert = alles[:, :, :, 0], alles[:, :, :, 1], alles[:, :, :, 2]
        punkte = frage @ schluessel.transpose(2, 3) / self.kopfbreite**0.5
        gewichte = punkte.softmax(3)
        ergebnis = gewichte @ wert  # (h, B, T, d)
        return self.W_o(ergebnis.permute(1, 2, 0, 3).reshape(stapel, laenge, breite))
