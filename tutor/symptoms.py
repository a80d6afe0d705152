"""Known faults that never reach the numbers, recognised from findings, errors, operations and the text of a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checkers._shapes import evaluate
from checkers.base import Fault, Step
from tutor.content import Exercise
from tutor.evidence import Evidence
from tutor.locate import within
from tutor.meanings.axes import with_head_width
from tutor.model import CheckOutcome
from tutor.traps import Symptom, Trap


@dataclass(frozen=True)
class Sign:
    """A trap that shows, and the line it shows on.

    ``by_step``: it is an operation that is on the tape which shows it. ``first``: it shows in the first check that failed.
    """

    trap: Trap
    line: int | None
    by_step: bool = False
    first: bool = True


def signs(exercise: Exercise, found: Evidence) -> list[Sign]:
    """Every trap of which a symptom holds, in the order in which the checks failed."""
    shown = filter(None, (_shows(trap, found) for trap in exercise.traps))
    return [sign for _, sign in sorted(shown, key=lambda pair: pair[0])]


def _shows(trap: Trap, found: Evidence) -> tuple[int, Sign] | None:
    """The sign, with the rank of the first failed check it shows in."""
    for symptom in trap.symptoms:
        shows = (
            (rank, outcome)
            for rank, (name, outcome) in enumerate(found.failed.items())
            if _says(symptom, name, outcome, found)
        )
        rank, outcome = next(shows, (0, None))
        if outcome is not None and _fits(symptom, found):
            return rank, Sign(trap, _line(trap, symptom, outcome, found), bool(symptom.step), first=not rank)
    return None


def held(trap: Trap, found: Evidence) -> frozenset[int]:
    """The places of all symptoms of a trap that hold."""
    return frozenset(
        place
        for place, symptom in enumerate(trap.symptoms)
        if any(_says(symptom, name, outcome, found) for name, outcome in found.failed.items()) and _fits(symptom, found)
    )


def _says(symptom: Symptom, name: str, outcome: CheckOutcome, found: Evidence) -> bool:
    """Whether a symptom holds as far as one failed check tells."""
    return all(_of_finding(symptom, name, outcome, found))


def _fits(symptom: Symptom, found: Evidence) -> bool:
    """Whether it holds as far as the run and the text tell, which are the same for every check."""
    return all(_of_run(symptom, found)) and all(_of_text(symptom, found))


def _of_finding(symptom: Symptom, name: str, outcome: CheckOutcome, found: Evidence) -> Iterator[bool]:
    if symptom.code:
        yield outcome.code == symptom.code
    if symptom.check:
        yield name == symptom.check
    if symptom.text:
        yield found.searches.contains(symptom.text, "\n".join((outcome.message, outcome.actual, outcome.next_step)))


def _of_run(symptom: Symptom, found: Evidence) -> Iterator[bool]:
    if symptom.error or symptom.operation or symptom.operands:
        yield found.fault is not None and _fault(symptom, found.fault, found)
    if symptom.step:
        yield _step(symptom, found) is not None
    if symptom.near is not None:
        yield found.distance <= symptom.near
    if symptom.without:
        yield not any(found.searches.matches(symptom.without, failed.code) for failed in found.failed.values())


def _of_text(symptom: Symptom, found: Evidence) -> Iterator[bool]:
    if symptom.source:
        yield found.searches.contains(symptom.source, _within(symptom, found))
    if symptom.absent:
        yield found.searches.lacks(symptom.absent, _within(symptom, found))
    if symptom.raised:
        yield found.searches.contains(symptom.raised, _through(found))


def _within(symptom: Symptom, found: Evidence) -> str:
    return within(symptom.inside, found.source, found.code) if symptom.inside else found.code


def _through(found: Evidence) -> str:
    """The code through the line that raised; nothing where there is none."""
    line = found.fault.line if found.fault else None
    return "\n".join(found.code.split("\n")[:line]) if line else ""


def _fault(symptom: Symptom, fault: Fault, found: Evidence) -> bool:
    if symptom.error and not found.searches.contains(symptom.error, f"{fault.type}: {fault.message}"):
        return False
    if symptom.operation and not found.searches.matches(symptom.operation, fault.operation):
        return False
    wanted = [tuple(_sizes(axes, found.dims)) for axes in symptom.operands]
    if len(fault.shapes) < len(wanted):
        return False
    return all(shape[-len(axes) :] == axes for shape, axes in zip(fault.shapes, wanted, strict=False))


def _sizes(axes: str, dims: Mapping[str, int]) -> Iterator[int]:
    more = with_head_width(dims)
    for axis in axes.split():
        try:
            yield evaluate(axis, more)
        except ValueError:
            yield -1


def _step(symptom: Symptom, found: Evidence) -> Step | None:
    """The first operation on the tape whose name and type of number fit, written as ``round float32``."""
    return next(
        (step for step in found.tape if found.searches.matches(symptom.step, f"{step.name} {_dtype(step)}")), None
    )


def _dtype(step: Step) -> str:
    return str(getattr(step.value, "dtype", "")).removeprefix("torch.")


def _line(trap: Trap, symptom: Symptom, outcome: CheckOutcome, found: Evidence) -> int | None:
    return next((line for line in _lines(trap, symptom, outcome, found) if line is not None), None)


def _lines(trap: Trap, symptom: Symptom, outcome: CheckOutcome, found: Evidence) -> Iterator[int | None]:
    """Lines to change, the surest first: where a fault shows is often not where it is."""
    pattern = symptom.line or (symptom.source if "(?P<here>" in symptom.source else "")
    if pattern:
        yield found.searches.line_of(pattern, _within(symptom, found))
    step = _step(symptom, found) if symptom.step else None
    if step is not None:
        yield step.line
    yield outcome.line
    if trap.line:
        yield found.searches.line_of(trap.line, found.code)
    yield from (found.searches.line_of_attribute(name, found.code) for name in found.suspects)
