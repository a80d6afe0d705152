"""Where a tape shows that gradients end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checkers.base import Step

# What gives the same numbers without their history, what leaves torch, and what switches the history off.
DETACHED = frozenset({"detach", "detach_", "data"})
NUMPY = frozenset({"numpy", "__array__"})
NUMBERS = frozenset({"item", "tolist"})
SWITCH = "_set_grad_enabled"


def cuts(tape: Sequence[Step]) -> Iterator[tuple[int, str, int | None]]:
    """Number, code and line of the steps that may cut gradients off, the surest first; what is cut off to be looked at only, nothing builds on."""
    steps = list(enumerate(tape))
    used = {source for step in tape for source in step.takes if step.name not in NUMPY | NUMBERS}
    yield from ((n, "gradient-cut", step.line) for n, step in steps if step.name in DETACHED and n in used)
    inside = _switched_off(tape)
    outside = {source for n, step in steps if n not in inside for source in step.takes}
    yield from ((n, "gradient-cut", None) for n, _ in steps if n in inside & outside)
    yield from ((n, "numpy-inside", step.line) for n, step in steps if step.name in NUMPY)
    yield from ((n, "gradient-cut", step.line) for n, step in steps if step.name in NUMBERS)


def _switched_off(tape: Sequence[Step]) -> set[int]:
    """The steps between a switch and the next one, which puts things back; what switches nothing is not on the tape."""
    off, found = False, set[int]()
    for number, step in enumerate(tape):
        off ^= step.name == SWITCH
        if off:
            found.add(number)
    return found
