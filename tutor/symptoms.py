"""Known faults that never reach the numbers, recognised from findings, errors, operations and the text of a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checkers._shapes import evaluate
from checkers.base import Fault, Step
from tutor.content import Exercise, Symptom, Trap
from tutor.evidence import Evidence
from tutor.locate import contains, lacks, line_of, line_of_attribute, matches
from tutor.model import CheckOutcome


@dataclass(frozen=True)
class Sign:
    """A trap that shows, and the line it shows on."""

    trap: Trap
    line: int | None


def signs(exercise: Exercise, found: Evidence) -> list[Sign]:
    """Every trap of which a symptom holds, in the order in which the checks failed."""
    shown = [
        (place, Sign(trap, line))
        for trap in exercise.traps
        for place, line in [_shows(trap, found)]
        if place is not None
    ]
    return [sign for _, sign in sorted(shown, key=lambda pair: pair[0])]


def _shows(trap: Trap, found: Evidence) -> tuple[int | None, int | None]:
    """Place of the first failed check the trap shows in, and the line; (None, None) where it does not show."""
    for symptom in trap.symptoms:
        for place, (name, outcome) in enumerate(found.failed.items()):
            if _holds(symptom, name, outcome, found):
                return place, _line(trap, symptom, outcome, found)
    return None, None


def _holds(symptom: Symptom, name: str, outcome: CheckOutcome, found: Evidence) -> bool:
    return all(_of_finding(symptom, name, outcome)) and all(_of_run(symptom, found)) and all(_of_text(symptom, found))


def _of_finding(symptom: Symptom, name: str, outcome: CheckOutcome) -> Iterator[bool]:
    if symptom.code:
        yield outcome.code == symptom.code
    if symptom.check:
        yield name == symptom.check
    if symptom.text:
        yield contains(symptom.text, "\n".join((outcome.message, outcome.actual, outcome.next_step)))


def _of_run(symptom: Symptom, found: Evidence) -> Iterator[bool]:
    if symptom.error or symptom.operation or symptom.operands:
        yield found.fault is not None and _fault(symptom, found.fault, found.dims)
    if symptom.step:
        yield _step(symptom, found) is not None
    if symptom.near is not None:
        yield found.distance <= symptom.near
    if symptom.without:
        yield not any(matches(symptom.without, failed.code) for failed in found.failed.values())


def _of_text(symptom: Symptom, found: Evidence) -> Iterator[bool]:
    if symptom.source:
        yield contains(symptom.source, found.code)
    if symptom.absent:
        yield lacks(symptom.absent, found.code)
    if symptom.raised:
        yield contains(symptom.raised, _through(found))


def _through(found: Evidence) -> str:
    """The code through the line that raised; nothing where there is none."""
    line = found.fault.line if found.fault else None
    return "\n".join(found.code.split("\n")[:line]) if line else ""


def _fault(symptom: Symptom, fault: Fault, dims: Mapping[str, int]) -> bool:
    if symptom.error and not contains(symptom.error, f"{fault.type}: {fault.message}"):
        return False
    if symptom.operation and not matches(symptom.operation, fault.operation):
        return False
    wanted = [tuple(_sizes(axes, dims)) for axes in symptom.operands]
    if len(fault.shapes) < len(wanted):
        return False
    return all(shape[-len(axes) :] == axes for shape, axes in zip(fault.shapes, wanted, strict=False))


def _sizes(axes: str, dims: Mapping[str, int]) -> Iterator[int]:
    more = dict(dims)
    if "d_model" in dims and dims.get("h"):
        more["d_k"] = dims["d_model"] // dims["h"]
    for axis in axes.split():
        try:
            yield evaluate(axis, more)
        except ValueError:
            yield -1


def _step(symptom: Symptom, found: Evidence) -> Step | None:
    """The first operation on the tape whose name and type of number fit, written as ``round float32``."""
    return next((step for step in found.tape if matches(symptom.step, f"{step.name} {_dtype(step)}")), None)


def _dtype(step: Step) -> str:
    return str(getattr(step.value, "dtype", "")).removeprefix("torch.")


def _line(trap: Trap, symptom: Symptom, outcome: CheckOutcome, found: Evidence) -> int | None:
    return next((line for line in _lines(trap, symptom, outcome, found) if line is not None), None)


def _lines(trap: Trap, symptom: Symptom, outcome: CheckOutcome, found: Evidence) -> Iterator[int | None]:
    """Lines to change, the surest first: where a fault shows is often not where it is."""
    if symptom.line:
        yield line_of(symptom.line, found.code)
    step = _step(symptom, found) if symptom.step else None
    if step is not None:
        yield step.line
    yield outcome.line
    if trap.line:
        yield line_of(trap.line, found.code)
    yield from (line_of_attribute(name, found.code) for name in found.suspects)
