import copy
import math
from types import SimpleNamespace

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    PRESETS = {"base": (512, 8), "large": (1024, 16), "tiny": (8, 2)}

    def __init__(self, d_model, h):
        super().__init__()
        self.hparams = SimpleNamespace(d_model=d_model, h=h, d_k=d_model // h)
        if self.hparams.d_k * h != d_model:
            raise ValueError(f"d_model={d_model} is not h*d_k for h={h}")
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    @classmethod
    def preset(cls, name):
        return cls(*cls.PRESETS[name])

    @classmethod
    def from_dict(cls, cfg):
        return cls(d_model=cfg["d_model"], h=cfg["h"])

    def clone(self):
        return copy.deepcopy(self)

    def num_parameters(self):
        return sum(p.numel() for p in self.parameters())

    def forward(self, Q, K, V, mask=None):
        hp = self.hparams
        B, T_q = Q.shape[0], Q.shape[1]
        T_k = K.shape[1]
        q = self.W_Q(Q).reshape(B, T_q, hp.h, hp.d_k).transpose(1, 2)
        k = self.W_K(K).reshape(B, T_k, hp.h, hp.d_k).transpose(1, 2)
        v = self.W_V(V).reshape(B, T_k, hp.h, hp.d_k).transpose(1, 2)
        attn_w = q @ k.transpose(-2, -1)
        attn_w = attn_w / math.sqrt(hp.d_k)
        if mask is not None:
            attn_w = attn_w.masked_fill(~mask, float("-inf"))
        attn_w = attn_w.softmax(dim=-1)
        output = attn_w @ v
        output = output.transpose(1, 2).reshape(B, T_q, hp.d_model)
        output = self.W_O(output)
        return (output, attn_w)


tiny = MultiHeadAttention.preset("tiny")
assert tiny.num_parameters() == 4 * 8 * 8
assert tiny.clone().num_parameters() == MultiHeadAttention.from_dict({"d_model": 8, "h": 4}).num_parameters()
