"""Starts a device's driver and loads what computing on it will need, before the last wall goes up: behind it nothing can be loaded."""

from __future__ import annotations

import torch
from torch import nn


def start(device: str) -> None:
    """Start the driver and warm it up.

    Args:
        device: as torch names it.

    Raises:
        RuntimeError: torch cannot compute there.
    """
    for dtype in (torch.float32, torch.float64):
        _compute(torch.device(device), dtype)
    torch.manual_seed(0)


def _compute(device: torch.device, dtype: torch.dtype) -> None:
    """One of each kind that attention is made of, forwards and backwards, so that no library is left to be loaded at its first use."""
    layer = nn.Linear(12, 12).to(device, dtype)
    x = torch.randn(2, 5, 12, device=device, dtype=dtype, requires_grad=True)
    heads = layer(x).view(2, 5, 3, 4).transpose(1, 2)
    allowed = torch.ones(5, 5, dtype=torch.bool, device=device).tril()
    scores = torch.einsum("bhqd,bhkd->bhqk", heads, heads) / heads.size(-1) ** 0.5
    scores = scores.masked_fill(~allowed, float("-inf")) + torch.where(allowed, 0.0, float("-inf")).to(dtype)
    weights = nn.functional.dropout(torch.softmax(scores, dim=-1), 0.1)
    output = torch.bmm(weights.flatten(0, 1), heads.flatten(0, 1)).view(2, 3, 5, 4).transpose(1, 2).reshape(2, 5, 12)
    normed = nn.LayerNorm(12).to(device, dtype)(torch.cat([output, x], dim=1))
    loss = (normed @ layer.weight).exp().clamp(max=9.0).sum() + torch.sort(weights, dim=-1).values.cumsum(-1).mean()
    loss.backward()
    loss.item()
