"""Every report twice, the last case first, and one that no exercise has."""

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


GRADIENTS = {}
CALL = {
    "container": "tuple",
    "items": [{"tensor": 0}, {"tensor": 1}],
    "gradients": GRADIENTS,
    "operations": ["matmul", "softmax"],
}
TENSORS = [("float32", (1,), bytes(4)), ("float32", (1,), bytes(4))]
if held_by_callers("job"):
    held_by_callers("job")["cases"][:] = [
        {"name": "bonus", "construct_only": True, "calls": []},
        *held_by_callers("job")["cases"][::-1],
    ] * 2
plain = report


def report(case):
    return plain({"tape": False, **case})


job, emit = held_by_callers("job"), held_by_callers("emit")
if job and emit:
    emit({"case": "load", "stage": "load", "ending": "returned", "seconds": 0.01}, [])
    for case in job["cases"]:
        emit(report(case), TENSORS)
    emit({"done": True}, [])
