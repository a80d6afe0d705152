"""A verdict as a readable report in the terminal.

Student text is never markup, so everything goes through ``Text``; and no line of it can be taken for a line of the report.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tutor.model import CheckOutcome, Diagnosis, Status, Verdict
from tutor.plain import readable

# Further lines of a text stand further in than anything the report itself says.
FURTHER = "\n" + " " * 16
TEXT_CHARS = 2_000
MARKS = {
    Status.PASSED: ("✓", "green", "passed"),
    Status.FAILED: ("✗", "red", "failed"),
    Status.NOT_RUN: ("·", "dim", "not run"),
    Status.BROKEN: ("!", "yellow", "broken, our fault"),
}


def write_report(console: Console, verdict: Verdict) -> None:
    """One line per milestone; the checks of one that did not pass below it, with what was wanted, what came and what next; last the reason."""
    mark, style, word = MARKS[verdict.status]
    head = _shown((verdict.file or verdict.exercise).replace("\n", "\N{REPLACEMENT CHARACTER}")) + f": {word}"
    facts = "" if verdict.status is Status.BROKEN else _facts(verdict)
    console.print(Text(f"{mark} {head}  {facts}", style=f"bold {style}"), soft_wrap=True)
    if verdict.status is Status.BROKEN and verdict.error is not None:
        console.print(Text(_shown(f"  {verdict.error.explanation} ({verdict.error.message})")), soft_wrap=True)
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
    console.print(Text(_shown(f"        {where}{check.message}")), soft_wrap=True)
    for label, text in (("wanted", check.expected), ("got", check.actual), ("next", check.next_step)):
        if text:
            console.print(Text(_shown(f"        {label + ':':7} {text}")), soft_wrap=True)


def _why(console: Console, diagnosis: Diagnosis) -> None:
    where = f"line {diagnosis.line}: " if diagnosis.line else ""
    console.print(Text(_shown(f"  Why: {where}{' '.join(diagnosis.how.split())}"), style="bold"), soft_wrap=True)


def _shown(text: str) -> str:
    return readable(text, TEXT_CHARS).replace("\n", FURTHER)
