"""What a student wrote is characters, on the page and in the terminal: nothing acts, nothing hides, nothing fills the screen."""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from datetime import UTC, datetime

import pytest
from rich.console import Console
from streamlit.testing.v1 import AppTest

from tests.hostile import INVISIBLE, MARKUP, Trusted, header
from tests.store.samples import verdict
from tests.ui.fakes import exercise as fake_exercise
from tutor.cli.report import TEXT_CHARS, write_report
from tutor.model import CheckOutcome, Diagnosis, ErrorReport, Reason, Status, Submission, SubmissionState, Verdict
from tutor.plain import printable, readable

FORGED = "\n✓ submission.py: passed  (1 ms, cpu, seed 1)\r\n  ✓ skeleton: passed"
HOSTILE = f"{MARKUP}{INVISIBLE}{FORGED}\x1b]8;;http://a.example\x07link\x1b]8;;\x07"
# What Markdown would act on, as it must not stand in a text for it.
ACTING = (
    "<img", "](javascript", ":material/home:", ":red[x]", ":streamlit:", "$x$", "# **", "**b**", "```", "www.a", "http://a",
)  # fmt: skip
LONG = "A" * 50_000


def _told(text: str, status: Status = Status.FAILED) -> Verdict:
    """A verdict in which the student speaks wherever a student can."""
    exercise = fake_exercise()
    milestones = []
    for number, milestone in enumerate(exercise.milestones):
        here = status if number < 2 else Status.NOT_RUN
        checks = tuple(
            CheckOutcome(
                id=c.id, title=c.title, status=here, message=text, expected=text, actual=text, next_step=text, line=3
            )
            for c in milestone.checks
        )
        milestones.append({"id": milestone.id, "title": milestone.title, "status": here, "checks": checks})
    error = ErrorReport(type=text, message=text, line=3, explanation=text)
    reasons = (Reason(says=text, line=2), Reason(says=text))
    why = Diagnosis(traps=("a",), how=text, line=2, hints=("why?", "how", "so"), reasons=reasons, proof=text)
    told = dict(verdict(status=status)) | {"milestones": milestones, "printed": text, "error": error, "diagnosis": why}
    return Verdict.model_validate(told)


# --- one alphabet for both -------------------------------------------------------------------------------------------


def test_every_character_that_acts_or_hides_is_made_visible() -> None:
    """All control, format, separator and surrogate characters of Unicode, and letters that look like nothing; feeds and tabs stay."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    everything = (chr(code) for code in range(sys.maxunicode + 1))
    left = [char for char in everything if unicodedata.category(char) in kinds and printable(char) == char]
    assert left == ["\t", "\n"]
    assert printable("\u115f\u1160\u3164\uffa0\u034f\U000e0100") == "\N{REPLACEMENT CHARACTER}" * 6
    assert printable("é ✓ √dₖ 你 👩 −∞ “a” …") == "é ✓ √dₖ 你 👩 −∞ “a” …"


def test_a_long_text_is_cut_where_it_says() -> None:
    """Four thousand characters are shown, and how many more there are."""
    assert readable(LONG) == "A" * 4_000 + "\n… (46,000 more characters)"


# --- the page --------------------------------------------------------------------------------------------------------


def _app(submission) -> None:
    from tests.ui.fakes import exercise  # noqa: PLC0415  the function's text alone is run
    from tutor.ui.verdict_view import render_verdict  # noqa: PLC0415

    render_verdict(exercise(), submission, earlier=False, reached={}, on_hint=lambda *_: None)


def _page(text: str, status: Status = Status.FAILED) -> AppTest:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    shown = Submission(
        id=1, learner_id=1, slug="multi-head-attention", exercise_version=1, source="x = 1", state=SubmissionState.DONE,
        submitted_at=now, finished_at=now, verdict=_told(text, status), hints_taken=3,
    )  # fmt: skip
    app = AppTest.from_function(_app, args=(shown,), default_timeout=20)
    app.run()
    assert not app.exception
    return app


def _values(app: AppTest) -> tuple[list[str], list[str]]:
    """What is Markdown, and what is shown as it is."""
    kinds = (app.markdown, app.caption, app.subheader, app.info, app.warning, app.error)
    acts = [str(element.value) for kind in kinds for element in kind] + [one.label for one in app.expander]
    acts += [button.label for button in app.button]
    # A list is ours: a mark begins each of its lines, and what stands behind it is one line.
    acts = [line for value in acts for line in re.split(r"\n *(?:-|1\.) ", value)]
    return acts, [str(element.value) for kind in (app.text, app.code) for element in kind]


@pytest.mark.parametrize("status", [Status.FAILED, Status.BROKEN])
def test_nothing_on_the_page_acts_or_hides(status: Status) -> None:
    """No element for Markdown holds anything that Markdown acts on, and no element at all a character that hides."""
    acts, plain = _values(_page(HOSTILE, status))
    # In code nothing acts, and nobody but us sets its marks.
    assert all(value.count("`") % 2 == 0 and "``" not in value for value in acts)
    outside = [re.sub("`[^`]*`", "", value) for value in acts]
    own = [re.sub(r":material/\w+:|:[a-z-]+\[|\*\*", "", value) for value in outside]
    assert [value for value in outside if any(acting in value for acting in ACTING)] == []
    assert [value for value in own if "\n" in value or "<" in value] == []
    for value in (*acts, *plain):
        assert printable(value) == value
    if status is Status.FAILED:
        assert any(MARKUP in value for value in plain)


def test_no_text_fills_the_page() -> None:
    """Every text of a student ends after four thousand characters, what is wanted and got after one thousand."""
    acts, plain = _values(_page(LONG))
    assert all(len(value) < 4_200 for value in (*acts, *plain))
    assert sum(len(value) > 1_100 for value in plain) < len(plain) / 2


# --- the terminal ----------------------------------------------------------------------------------------------------


def _report(text: str, status: Status = Status.FAILED, file: str = "") -> str:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    write_report(console, _told(text, status).model_copy(update={"file": file}))
    return out.getvalue()


@pytest.mark.parametrize("status", [Status.FAILED, Status.BROKEN])
def test_nothing_in_the_terminal_acts_hides_or_forges(status: Status) -> None:
    """No escape sequence, no markup, no direction; and no line of a student's begins where one of the report does."""
    text = _report(HOSTILE, status, file=f"a{FORGED}{INVISIBLE}.py")
    assert printable(text) == text
    assert "[bold]b[/bold]" in text
    assert "passed" in text
    begins = [line for line in text.split("\n") if re.match(r" {0,15}\S", line)]
    assert [line for line in begins if line.lstrip().startswith("✓")] == []


def test_no_text_fills_the_terminal() -> None:
    """Each is cut, and says so."""
    lines = _report(LONG).split("\n")
    assert max(map(len, lines)) <= TEXT_CHARS
    assert any("more characters)" in line for line in lines)


# --- from the wire to both -------------------------------------------------------------------------------------------


def test_what_a_worker_calls_its_parameters_arrives_as_characters(catalog) -> None:
    """Names and exceptions full of markup and invisible characters: none of these is left in the verdict."""
    trusted = Trusted.of(catalog["multi-head-attention"])
    name = f"{MARKUP[:60]}{INVISIBLE}"
    weight = {"name": name, "shape": [3, 3], "trainable": True, "same_as": None}
    built = header("count-h8", stage="construct", parameters=[weight], unclaimed=[name], hidden=[name], biases=[name])
    fault = {"type": f"E{INVISIBLE}", "message": HOSTILE, "line": 3}
    raised = header("built-h3", stage="construct", ending="raised", fault=fault)
    seen = trusted.received([(header("load", stage="load"), []), (built, []), (raised, [])])
    assessment, _ = trusted.judge(trusted.exercise.reference, seen)
    assert assessment.error is not None
    told = [assessment.error.type, assessment.error.message, assessment.error.explanation]
    told += [t for one in assessment.milestones for c in one.checks for t in (c.message, c.actual, c.next_step)]
    assert any(MARKUP[:60] in text for text in told)
    assert [text for text in told if printable(text) != text] == []
