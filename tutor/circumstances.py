"""What the calls in which a fault shows have in common, and no other call has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import torch

from tutor.situations import Situation

# Ordinary inputs are standard normal.
LARGE_INPUT = 20


def only(wrong: Sequence[Situation], right: Sequence[Situation]) -> str:
    """``where T_q = 1 and B = 1``: one or two circumstances, each of which tells the calls apart if one can.

    ``in some`` where nothing that is known here does.

    Args:
        wrong: where the fault shows.
        right: where it would show and does not.
    """
    shared, sizes = _shared(_facts, wrong), _shared(_sizes, wrong)
    others = [{*_facts(one), *_sizes(one)} for one in right]

    def telling(facts: Sequence[str]) -> bool:
        return not any(other.issuperset(facts) for other in others)

    singles, several = ([fact for fact in facts if telling([fact])] for facts in (shared, sizes))
    together = next((pair for pair in combinations(shared, 2) if telling(pair)), ())
    found = singles[:2] or together or several[:2]
    return f"where {' and '.join(found)}" if found else "in some"


def _shared(facts: Callable[[Situation], Iterator[str]], wrong: Sequence[Situation]) -> list[str]:
    return [fact for fact in facts(wrong[0]) if all(fact in facts(one) for one in wrong)]


def _facts(situation: Situation) -> Iterator[str]:
    dims, inputs = situation.dims, situation.given
    # What every call is given tells none apart.
    yield from (f"no {name} is given" if one is None else f"a {name} is given" for name, one in inputs.items())
    yield from (f"{name} = {value}" for name, value in situation.arguments.items())
    if {"T_q", "T_k"} <= dims.keys():
        yield "T_q = T_k" if dims["T_q"] == dims["T_k"] else "T_q ≠ T_k"
    # Lengths first: code asks for them more often than for the number of samples.
    names = sorted(dims, key=lambda name: not name.startswith("T"))
    yield from (f"{name} {'=' if dims[name] == 1 else '>'} 1" for name in names)
    tensors = {name: one for name, one in inputs.items() if isinstance(one, torch.Tensor)}
    yield from (f"the {name} has {one.dim()} axes" for name, one in tensors.items() if one.dtype is torch.bool)
    yield "it is called again" if situation.call else "it is called for the first time"
    if any(one.abs().max() > LARGE_INPUT for one in tensors.values() if one.is_floating_point() and one.numel()):
        yield "the inputs are large"
    yield f"the inputs are {situation.dtype}"


def _sizes(situation: Situation) -> Iterator[str]:
    """By chance these tell more calls apart, so they come last."""
    yield from (f"{name} = {size}" for name, size in situation.dims.items())
