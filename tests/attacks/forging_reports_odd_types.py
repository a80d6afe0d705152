"""Reports whose tensors are complex, boolean, eight-dimensional and empty."""

import sys

import torch
from torch import nn


def held_by_callers(name):
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back
    return None


class Bytes(tuple):
    dtype, shape, data = (property(lambda self, at=at: self[at]) for at in range(3))


def report(case):
    shapes = case.get("shapes") or {}
    return {
        "case": case["name"],
        "stage": "construct" if case["construct_only"] else "call",
        "ending": "returned",
        "seconds": 0.01,
        "parameters": [{"name": f"{role}.weight", "shape": shape, "trainable": True} for role, shape in shapes.items()],
        "bound": {role: f"{role}.weight" for role in shapes},
        "calls": [CALL for _ in case["calls"]],
    }


GRADIENTS = {"W_Q": 2, "W_K": 0, "W_V": 3, "W_O": None}
CALL = {
    "container": "tuple",
    "items": [{"tensor": 0}, {"tensor": 1}],
    "gradients": GRADIENTS,
    "operations": ["matmul", "softmax"],
}
TENSORS = [
    ("complex64", (2, 7, 15), bytes(1680)),
    ("bool", (2, 3, 7, 7), b"\2" * 294),
    ("float16", (1,) * 8, b"\xff\xff"),
    ("float64", (0, 1 << 30), b""),
]

job, emit = held_by_callers("job"), held_by_callers("emit")
if job and emit:
    emit({"case": "load", "stage": "load", "ending": "returned", "seconds": 0.01}, [])
    for case in job["cases"]:
        emit(report(case), TENSORS)
    emit({"done": True}, [])
