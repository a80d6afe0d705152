#!/usr/bin/env python3
"""Multi-head attention from scratch. Run this file to see a small demo."""
import argparse
import math
import sys
import time

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model must be divisible by h"
        self.d_model = d_model
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        B, T_q, _ = Q.shape
        q, k, v = self.split(self.W_Q(Q)), self.split(self.W_K(K)), self.split(self.W_V(V))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)
        out = (attn_w @ v).transpose(1, 2).contiguous().view(B, T_q, self.d_model)
        return self.W_O(out), attn_w


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--d-model", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    args = parser.parse_args(argv)
    layer = MultiHeadAttention(args.d_model, args.heads)
    reference = nn.MultiheadAttention(args.d_model, args.heads, bias=False, batch_first=True)
    x = torch.randn(2, 10, args.d_model)
    start = time.perf_counter()
    out, w = layer(x, x, x, torch.tril(torch.ones(10, 10, dtype=torch.bool)))
    print(out.shape, w.shape, f"{time.perf_counter() - start:.3f} s")
    print(reference(x, x, x)[0].shape)
    return 0


if __name__ == "__main__":
    sys.exit(main())
