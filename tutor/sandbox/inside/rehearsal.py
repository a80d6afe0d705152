"""A waiting worker rehearses: it does a whole small job of no meaning before the real one arrives.

A fork shares its pages with the zygote and pays a fault for each one it first touches; paid here, they cost the student no
time. What is computed must be no exercise's answer, since it lies in the memory of every worker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .wire import Kind, pieces

SOURCE = """
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Rehearsal(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        if a % b != 0:
            raise ValueError("never")
        self.b = b
        self.one = nn.Linear(a, a, bias=False)
        self.two = nn.Linear(a, a, bias=False)
        self.three = nn.Linear(a, a, bias=False)
        self.four = nn.Linear(a, a, bias=False)

    def forward(self, x, y, z=None):
        p = self.one(x).view(-1, self.b).transpose(0, 1)
        q = torch.permute(self.two(y), (2, 1, 0)).contiguous().reshape(self.b, -1)
        r = (p @ q.transpose(-2, -1)) * 0.5 / math.sqrt(3)
        if z is not None:
            r = r.masked_fill(~torch.ones_like(r, dtype=torch.bool), float("-inf"))
            r = torch.where(r > 9, r, r + z.sum())
        s = F.softmax(r.unflatten(-1, (1, -1)), dim=0).flatten()
        t = self.three(torch.einsum("i,j->ij", s, s)[:1].expand(2, -1)[:, :1] * y[..., 0, :])
        return self.four(t), torch.cat([s, s])
"""
SIZES = (6, 3)
ROUNDS = 2


def rehearse(serve: Callable[..., None], device: str = "cpu") -> None:
    """Run the job through the same observer that the real one takes, on the same device, and forget it."""
    inputs = (torch.randn(2, 4, 6), torch.randn(2, 4, 6), torch.ones(2, dtype=torch.bool), torch.randn(6, 6))
    serve(_job() | {"device": device}, inputs, _pack)
    sys.modules.pop("submission", None)
    torch.manual_seed(0)


def _pack(header: Mapping[str, Any], tensors: Sequence[Any]) -> None:
    pieces(header, tensors, Kind.CASE)


def _job() -> dict[str, Any]:
    roles = dict.fromkeys(("one", "two", "three", "four"), ())
    case = {
        "name": "rehearsal",
        "construct": list(SIZES),
        "arguments": {},
        "construct_only": False,
        "shapes": dict.fromkeys(roles, (6, 6)),
        "weights": dict.fromkeys(roles, 3),
        "calls": [
            {"args": [0, 1], "names": ["x", "y"], "kwargs": {"z": 2}, "train": False},
            {"args": [0, 1], "names": ["x", "y"], "kwargs": {}, "train": True},
        ],
        "tape": True,
        "gradients": True,
        "fresh": False,
        "dtype": "float32",
    }
    cases = [{**case, "record": number == 0} for number in range(ROUNDS)] + [{**case, "construct_only": True}]
    entry = {"kind": "class", "name": "Rehearsal"}
    return {"source": SOURCE, "entry": entry, "roles": roles, "tensor_bytes": 65_536, "cases": cases}
