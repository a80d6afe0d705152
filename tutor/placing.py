"""Lines and steps on failed checks that know none themselves, from what explains them."""

from __future__ import annotations

from checkers.base import Ending
from tutor.blame import NUMBERS
from tutor.diagnose import Explained
from tutor.model import Assessment, CheckOutcome, Status
from tutor.tape import Departure


def with_places(assessment: Assessment, explained: Explained) -> Assessment:
    """The assessment with the place of the fault on failed checks that know none themselves, and how far all was right."""
    milestones = tuple(
        milestone.model_copy(
            update={
                "checks": tuple(_placed(f"{milestone.id}/{check.id}", check, explained) for check in milestone.checks)
            }
        )
        for milestone in assessment.milestones
    )
    return assessment.model_copy(update={"milestones": milestones})


def _placed(name: str, check: CheckOutcome, explained: Explained) -> CheckOutcome:
    diagnosis, departure = explained.diagnosis, explained.departure
    if check.status is not Status.FAILED or check.code not in (*NUMBERS, Ending.RAISED.value):
        return check
    told = explained.numbers.get(name) if check.code in NUMBERS else None
    told = told or (diagnosis.line if diagnosis else None)
    line = check.line or told or (departure.line if departure and not diagnosis else None)
    words = _words(departure, raised=check.code not in NUMBERS) if departure and not diagnosis else ""
    return check.model_copy(update={"line": line, "next_step": f"{words}{check.next_step}"})


def _words(departure: Departure, *, raised: bool) -> str:
    if departure.right is None:
        return ""
    where = f" (line {departure.right_line})" if departure.right_line else ""
    if raised:
        return f"Up to {departure.right}{where} all is right. "
    if departure.line is None:
        return f"All is right up to {departure.right}{where}. "
    leaves = "what the same line" if departure.line == departure.right_line else f"what line {departure.line}"
    return f"All is right up to {departure.right}{where}; {leaves} does next leaves the right way. "
