"""Observations made by hand, and whole submissions that differ from a right one in one passage."""

from __future__ import annotations

import dataclasses
import re

import torch

from checkers import load_kind
from checkers.base import About, Call, Ending, Observation, Step
from tutor.model import Status

ABOUT = About(
    entry="MultiHeadAttention",
    roles={"W_Q": "d_model d_model", "W_O": "d_model d_model"},
    returns={"output": "B T_q d_model", "attn_w": "B h T_q T_k"},
    dims={
        "a": {"B": 2, "T_q": 3, "T_k": 4, "d_model": 6, "h": 3},
        "b": {"B": 2, "T_q": 3, "T_k": 4, "d_model": 6, "h": 6},
    },
    forbidden_calls=("scaled_dot_product_attention", "MultiheadAttention"),
)

SUBMISSION = """import math
import torch
from torch import nn
import torch.nn.functional as F
{above}

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        {init}

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        B, T_q, T_k, d_model = Q.size(0), Q.size(1), K.size(1), Q.size(2)
        {first}
        q, k, v = self.split(self.W_Q(Q)), self.split(self.W_K(K)), self.split(self.W_V(V))
        {scores}
        if mask is not None:
            {masking}
        {softmax}
        {after}
        output = self.W_O((attn_w @ v).transpose(1, 2).flatten(2))
        {last}
        return output, attn_w

{below}
"""
RIGHT = {
    "above": "", "init": "pass", "first": "pass", "after": "pass", "last": "pass", "below": "",
    "scores": "scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)",
    "masking": 'scores = scores.masked_fill(~mask, float("-inf"))',
    "softmax": "attn_w = scores.softmax(-1)",
}  # fmt: skip


def submission(**passages):
    """A right submission with some passages replaced, and the line of the first of them."""
    source = SUBMISSION.format(**RIGHT | passages)
    start = SUBMISSION.index("{" + next(iter(passages), "above") + "}")
    before = SUBMISSION[:start].format(**RIGHT | passages)
    return source, before.count("\n") + 1


# What a text has that was put together wrongly: gaps, open braces, words in the wrong case.
SLIPS = re.compile(r"XX|  |,,|[{}]|\b[A-Z]{4,}\b|\b(?:nan|cpu|gpus?|nn\.[a-z]\w*)\b")


def worded(found):
    """The finding, or a failed check, whose every part is a text that can be shown."""
    assert re.fullmatch(r"[a-z]+(?:[-_][a-z]+)*", found.code), found.code
    for text in (found.message, found.expected, found.actual, found.next_step):
        assert text == text.strip() != "", found
        assert not SLIPS.search(text), text
        assert "None" not in text or found.actual == "None", text
    assert found.message.endswith("."), found.message
    assert found.next_step[0].isupper() or found.next_step.startswith(("nn.", "numpy ")), found.next_step
    assert found.next_step.endswith((".", "?")), found.next_step
    assert not found.expected.endswith("."), found.expected
    assert not found.actual.endswith("."), found.actual
    return found


def failures(assessment):
    """Check → (code, line) for each that failed."""
    return {
        f"{milestone.id}/{check.id}": (check.code if check.code in set(Ending) else worded(check).code, check.line)
        for milestone in assessment.milestones
        for check in milestone.checks
        if check.status is Status.FAILED
    }


def results(seed=0):
    generator = torch.Generator().manual_seed(seed)
    maps = torch.randn(2, 3, 3, 4, generator=generator).softmax(-1)
    return torch.randn(2, 3, 6, generator=generator), maps


def call(*items, **changes):
    return dataclasses.replace(Call("tuple", items or results()), **changes)


def seen(*calls, case="a", **changes):
    made = Observation(case, Ending.RETURNED, calls=calls or (call(),))
    return {case: dataclasses.replace(made, **changes)}


def steps(*made):
    """A tape from (name, takes, shapes, device) or shorter; step number n is on line n + 1."""
    value = torch.zeros(1)
    return tuple(
        Step(part[0], number + 1, *part[1:3], value=value, device="".join(part[3:])) for number, part in enumerate(made)
    )


def find(kind, observed, expected=None, *, source="", about=ABOUT, **options):
    """What a kind finds; where nothing is expected in particular, the reference does the very same."""
    about = dataclasses.replace(about, source=source)
    found = load_kind(kind).check(observed, observed if expected is None else expected, about, **options)
    return None if found is None else worded(found)
