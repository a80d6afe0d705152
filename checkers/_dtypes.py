"""The type of numbers that comes back is that of the inputs: another one loses or invents precision."""

from __future__ import annotations

from checkers._tape import first_line
from checkers.base import Finding, Observation, Tensor

HALVES = frozenset({"float16", "bfloat16"})
LOST, OTHER = TYPES = ("precision-lost", "wrong-dtype")


def other_type(name: str, item: Tensor, wanted: str) -> Finding | None:
    """What is wrong with the type of a result; None where it is the wanted one."""
    dtype = str(item.dtype).removeprefix("torch.")
    if dtype == wanted:
        return None
    return Finding(
        LOST if dtype in HALVES else OTHER,
        f"{name} comes back as {dtype}, although inputs and weights are {wanted}.",
        expected=wanted,
        actual=dtype,
        next_step="Look for a conversion such as .half(), .double() or .to(…) on the way.",
    )


def turned_at(observation: Observation, wanted: str) -> int | None:
    """The line of the first step that gives numbers with a fraction, or complex ones, of another type."""
    return first_line(
        observation.tape,
        lambda step: (
            step.value is not None
            and (step.value.is_floating_point() or step.value.is_complex())
            and str(step.value.dtype) != f"torch.{wanted}"
        ),
    )
