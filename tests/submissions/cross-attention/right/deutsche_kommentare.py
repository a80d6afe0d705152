import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, memory=None):
        # Ohne Gedächtnis antwortet x sich selbst.
        quelle = x if memory is None else memory
        anzahl_fragen, anzahl_antworten = x.size(1), quelle.size(1)
        fragen = self.W_Q(x).view(-1, anzahl_fragen, self.h, self.d_k).transpose(1, 2)
        schlüssel = self.W_K(quelle).view(-1, anzahl_antworten, self.h, self.d_k).transpose(1, 2)
        werte = self.W_V(quelle).view(-1, anzahl_antworten, self.h, self.d_k).transpose(1, 2)
        punkte = fragen @ schlüssel.transpose(-2, -1) / math.sqrt(self.d_k)
        gemischt = torch.softmax(punkte, dim=-1) @ werte
        return self.W_O(gemischt.transpose(1, 2).reshape(x.shape))
