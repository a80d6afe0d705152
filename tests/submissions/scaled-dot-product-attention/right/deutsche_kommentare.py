# Aufgabe 2: skalierte Skalarprodukt-Aufmerksamkeit
import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Jede Anfrage mischt die Werte, gewichtet nach der Ähnlichkeit zu den Schlüsseln."""
    breite = Q.shape[-1]
    # Ähnlichkeiten: Zeilen = Anfragen, Spalten = Schlüssel
    punkte = torch.matmul(Q, K.transpose(-2, -1))
    punkte = punkte / math.sqrt(breite)
    if mask is not None:
        verboten = torch.logical_not(mask)  # wahr hieß: darf hinsehen
        punkte = punkte.masked_fill(verboten, -math.inf)
    gewichte = punkte.softmax(dim=-1)  # jede Zeile ergibt 1
    ausgabe = torch.matmul(gewichte, V)
    return ausgabe, gewichte
