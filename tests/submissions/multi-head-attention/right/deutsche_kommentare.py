# Mehrkopf-Aufmerksamkeit, Übungsblatt 7, Aufgabe 3
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Mehrere Köpfe schauen gleichzeitig auf die Folge; jeder in seinem eigenen Unterraum."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"d_model ({d_model}) ist nicht durch h ({h}) teilbar!")
        self.anzahl_köpfe = h
        self.breite = d_model // h  # Breite eines Kopfes
        # vier Gewichtsmatrizen, alle ohne Verschiebung
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def in_köpfe_teilen(self, x):
        stapel, länge, _ = x.shape
        # erst aufteilen, dann die Kopfachse nach vorn
        return x.view(stapel, länge, self.anzahl_köpfe, self.breite).transpose(1, 2)

    def köpfe_vereinen(self, x):
        stapel, _, länge, _ = x.shape
        return x.transpose(1, 2).reshape(stapel, länge, self.anzahl_köpfe * self.breite)

    def forward(self, Q, K, V, mask=None):
        anfragen = self.in_köpfe_teilen(self.W_Q(Q))
        schlüssel = self.in_köpfe_teilen(self.W_K(K))
        werte = self.in_köpfe_teilen(self.W_V(V))

        ähnlichkeit = anfragen @ schlüssel.transpose(-2, -1) / math.sqrt(self.breite)
        if mask is not None:  # wahr = darf hinsehen
            ähnlichkeit = ähnlichkeit.masked_fill(~mask, float("-inf"))
        gewichte = ähnlichkeit.softmax(dim=-1)  # jede Zeile ergibt eins

        größe = self.köpfe_vereinen(gewichte @ werte)
        return self.W_O(größe), gewichte
