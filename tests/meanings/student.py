"""A file as a student writes it, and how one line of it goes wrong."""

from __future__ import annotations

from checkers.base import About

STUDENT = """\
import math
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.d_model = d_model
        self.d_k = d_model // h
        width = d_model
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T_q, _ = Q.shape
        T_k = K.shape[1]
        q = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn = torch.softmax(scores, dim=-1)
        context = attn @ v
        merged = context.transpose(1, 2).reshape(B, T_q, self.d_model)
        return self.W_O(merged), attn
"""


def about(source, dims=None):
    """What explain is told of an exercise that asks for MultiHeadAttention."""
    return About("MultiHeadAttention", roles={}, returns={}, dims={"plain": dims} if dims else {}, source=source)


LINES = {line.split()[0].split(".")[-1]: line for line in STUDENT.splitlines() if " = " in line} | {
    key: next(line for line in STUDENT.splitlines() if line.strip().startswith(key))
    for key in ("super", "if", "return", "def forward", "import math", "B, T_q")
}


def wrong(key, new):
    """The student's file with one line replaced; what stands there instead is indented likewise, unless it starts with |."""
    line = LINES[key]
    indent = line[: len(line) - len(line.lstrip())]
    fresh = new[1:] if new.startswith("|") else "\n".join(indent + part if part else "" for part in new.split("\n"))
    return STUDENT.replace(line + "\n", fresh + "\n", 1)
