"""The readable report in the terminal: where the reason stands."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.store.samples import verdict
from tutor.cli.report import write_report
from tutor.model import Diagnosis, Status, Verdict

WHY = Diagnosis(traps=("a",), how="Nothing divides\nthe scores.\x1b[2J", line=8, hints=("why?", "how", "so"))


def _report(diagnosis: Diagnosis | None, status: Status = Status.FAILED) -> str:
    failed = verdict({"skeleton": Status.FAILED, "forward": Status.NOT_RUN}, Status.FAILED)
    told = Verdict.model_validate({**dict(failed), "status": status, "diagnosis": diagnosis})
    out = io.StringIO()
    write_report(Console(file=out, width=60), told)
    return out.getvalue()


def test_the_reason_is_the_last_line_and_gives_no_hint() -> None:
    """Why it failed stands on one line after the checks, with its line number; the hints stay untold, and nothing acts."""
    text = _report(WHY)
    assert text.splitlines()[-1] == "  Why: line 8: Nothing divides the scores.\N{REPLACEMENT CHARACTER}[2J"
    assert not [hint for hint in WHY.hints if f" {hint}" in text]


def test_a_reason_without_a_line_names_none() -> None:
    """Where no line is to blame, none is named."""
    assert "  Why: Nothing divides the scores." in _report(WHY.model_copy(update={"line": None}))


@pytest.mark.parametrize(("diagnosis", "status"), [(None, Status.FAILED), (WHY, Status.PASSED), (WHY, Status.BROKEN)])
def test_without_a_failure_or_a_known_reason_nothing_is_said(diagnosis: Diagnosis | None, status: Status) -> None:
    """Only a failure whose reason is known has a line about it."""
    assert "Why:" not in _report(diagnosis, status)
