# -*- coding: utf-8 -*-
# TP n°4 : l'attention à plusieurs têtes
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        # chaque tête reçoit la même part du vecteur
        assert d_model % h == 0, "d_model doit être divisible par h"
        self.nb_tetes = h
        self.dim_tete = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def decouper(self, x):
        """(lot, temps, d_model) -> (lot, têtes, temps, dim_tête)"""
        lot, temps, _ = x.size()
        x = x.reshape(lot, temps, self.nb_tetes, self.dim_tete)
        return x.permute(0, 2, 1, 3)

    def recoller(self, x):
        """l'inverse de découper"""
        return x.permute(0, 2, 1, 3).flatten(2)

    def forward(self, Q, K, V, mask=None):
        requetes, cles, valeurs = (
            self.decouper(self.W_Q(Q)),
            self.decouper(self.W_K(K)),
            self.decouper(self.W_V(V)),
        )
        # produit scalaire, puis mise à l'échelle par √d_k
        scores = torch.matmul(requetes, cles.transpose(-1, -2))
        scores = scores / (self.dim_tete ** 0.5)
        if mask is not None:
            # là où le masque est faux : moins l'infini, donc poids nul après le softmax
            scores = torch.where(mask, scores, torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device))
        poids = F.softmax(scores, dim=-1)
        sortie = self.recoller(torch.matmul(poids, valeurs))
        return self.W_O(sortie), poids
