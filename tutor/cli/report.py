"""A verdict as a readable report in the terminal. Student text is never markup, so everything goes through ``Text``."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tutor.model import CheckOutcome, Diagnosis, Status, Verdict
from tutor.plain import printable

MARKS = {
    Status.PASSED: ("✓", "green", "passed"),
    Status.FAILED: ("✗", "red", "failed"),
    Status.NOT_RUN: ("·", "dim", "not run"),
    Status.BROKEN: ("!", "yellow", "broken, our fault"),
}


def write_report(console: Console, verdict: Verdict) -> None:
    """One line per milestone; the checks of one that did not pass below it, with what was wanted, what came and what next; last the reason."""
    mark, style, word = MARKS[verdict.status]
    head = printable(f"{verdict.file or verdict.exercise}: {word}".replace("\n", "\N{REPLACEMENT CHARACTER}"))
    facts = "" if verdict.status is Status.BROKEN else _facts(verdict)
    console.print(Text(f"{mark} {head}  {facts}", style=f"bold {style}"), soft_wrap=True)
    if verdict.status is Status.BROKEN and verdict.error is not None:
        console.print(Text(f"  {verdict.error.explanation} ({verdict.error.message})"), soft_wrap=True)
        return
    for milestone in verdict.milestones:
        mark, style, word = MARKS[milestone.status]
        console.print(Text(f"  {mark} {milestone.id}: {milestone.title} ({word})", style=style), soft_wrap=True)
        for check in milestone.checks:
            if check.status is Status.FAILED:
                _failed(console, check)
    if verdict.status is Status.FAILED and verdict.diagnosis is not None:
        _why(console, verdict.diagnosis)


def _facts(verdict: Verdict) -> str:
    return f"({verdict.seconds * 1000:.0f} ms, {verdict.device}, seed {verdict.seed})"


def _failed(console: Console, check: CheckOutcome) -> None:
    where = f"line {check.line}: " if check.line else ""
    console.print(Text(f"      ✗ {check.title}", style="bold"), soft_wrap=True)
    console.print(Text(printable(f"        {where}{check.message}")), soft_wrap=True)
    for label, text in (("wanted", check.expected), ("got", check.actual), ("next", check.next_step)):
        if text:
            console.print(Text(printable(f"        {label + ':':7} {text}")), soft_wrap=True)


def _why(console: Console, diagnosis: Diagnosis) -> None:
    where = f"line {diagnosis.line}: " if diagnosis.line else ""
    console.print(Text(printable(f"  Why: {where}{' '.join(diagnosis.how.split())}"), style="bold"), soft_wrap=True)
