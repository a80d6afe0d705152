"""The scratch area of an exercise, run without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, fake_tutor
from tests.ui.test_pages import SLUG, _open, _said
from tutor.errors import StoreError
from tutor.model import Refusal, Submission
from tutor.service import Tutor
from tutor.trials import Looked, Lost, Scratch, Stopped, Trial
from tutor.ui.words import NOT_RUN


def _answering(monkeypatch: pytest.MonkeyPatch, tutor: Tutor, outcome: Looked | Lost) -> list[Trial]:
    """Have every trial answered at once, and return what was asked for."""
    asked: list[Trial] = []

    def try_out(learner: Any, slug: str, source: str, trial: Trial) -> Submission:
        asked.append(trial)
        number = tutor._store.add_submission(learner.id, slug, 1, source, trial).id
        tutor._store.claim(number, "here", 60)
        tutor._store.finish(number, "here", outcome)
        return tutor._store.submission(number)

    monkeypatch.setattr(tutor, "try_out", try_out)
    return asked


def _lines(app: AppTest) -> Any:
    return app.text_area(key=f"scratch-{SLUG}")


def _run(app: AppTest) -> None:
    app.button(key=f"scratch-{SLUG}-run").click().run()
    assert not app.exception


def test_what_is_printed_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines that stand there are handed in with the file; what they print never acts on the page."""
    tutor = fake_tutor(seconds=0.0)
    asked = _answering(monkeypatch, tutor, Looked(printed=f"7\n{NASTY}\n"))
    app = _open(tutor)
    _lines(app).set_value("print(7)").run()
    _run(app)
    assert asked == [Scratch(lines="print(7)")]
    assert f"7\n{NASTY}" in [code.value.strip() for code in app.code]
    again = _open(tutor)
    assert _lines(again).value == "print(7)"
    assert f"7\n{NASTY}" in [code.value.strip() for code in again.code]


def _press(app: AppTest, which: str) -> None:
    app.button(key=f"scratch-{SLUG}-{which}").click().run()
    assert not app.exception


def _offered(app: AppTest) -> set[str]:
    return {"Bring back my lines", "Starter lines"} & {button.label for button in app.button}


def test_the_learner_s_lines_stay_within_reach() -> None:
    """Whatever takes their place, one button brings them back, and what was written meanwhile is kept instead."""
    tutor = fake_tutor(seconds=0.0)
    app = _open(tutor)
    starter = _lines(app).value
    assert "layer = MultiHeadAttention()" in starter
    assert not _offered(app)
    _lines(app).input("mine = 1").run()
    assert _offered(app) == {"Starter lines"}
    _press(app, "starter")
    assert _lines(app).value == starter
    assert _offered(app) == {"Bring back my lines"}
    _press(app, "back")
    assert _lines(app).value == "mine = 1"
    assert _offered(app) == {"Starter lines"}
    _press(app, "starter")
    _lines(app).input("mine = 2").run()
    _press(app, "back")
    assert _lines(app).value == "mine = 1"
    _press(app, "back")
    assert _lines(app).value == "mine = 2"


def test_lines_of_ours_push_nobody_s_lines_out_of_reach() -> None:
    """Two examples one after the other: what is brought back are the learner's lines, not the first example's."""
    tutor = fake_tutor(seconds=0.0)
    app = _open(tutor)
    _lines(app).input("mine = 1").run()
    app.button(key=f"example-{SLUG}-find").click().run()
    app.button(key=f"example-{SLUG}-put").click().run()
    _press(app, "starter")
    app.button(key=f"example-{SLUG}-put").click().run()
    assert "lines of the smallest example" in _said(app)
    _press(app, "back")
    assert _lines(app).value == "mine = 1"


def test_what_stopped_it_is_told_with_its_line_and_a_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of the learner's own lines is told from one of the file."""
    tutor = fake_tutor(seconds=0.0)
    _answering(monkeypatch, tutor, Looked(stopped=Stopped(message=NASTY, next_step="Go on.", line=2, in_lines=True)))
    app = _open(tutor)
    _lines(app).set_value("x = 1\n  oops(x)\n").run()
    _run(app)
    assert "line 2 of your lines" in _said(app)
    assert "oops(x)" in [code.value for code in app.code]
    assert NASTY in [text.value for text in app.text]
    assert "Go on" in _said(app)


@pytest.mark.parametrize(
    ("line", "in_lines", "quoted"), [(2, False, "second = 2"), (9, False, ""), (None, False, ""), (1, True, "mine")]
)
def test_the_line_that_stopped_it_is_quoted_from_its_text(
    monkeypatch: pytest.MonkeyPatch, line: int | None, in_lines: bool, quoted: str
) -> None:
    """Of the file or of the lines, as they were run; nothing where the text has no such line."""
    tutor = fake_tutor(seconds=0.0)
    _answering(monkeypatch, tutor, Looked(stopped=Stopped(message="m", line=line, in_lines=in_lines)))
    tutor.save_draft(tutor.learner(), SLUG, "first = 1\nsecond = 2\n")
    app = _open(tutor)
    _lines(app).set_value("mine").run()
    _run(app)
    _lines(app).set_value("other").run()
    assert [code.value for code in app.code] == ([quoted] if quoted else [])


def test_nothing_printed_says_how_to_see_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty result is not an empty place."""
    tutor = fake_tutor(seconds=0.0)
    _answering(monkeypatch, tutor, Looked())
    app = _open(tutor)
    _run(app)
    assert "printed nothing" in _said(app)


def test_a_run_that_we_lost_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says whose fault it is, and the reason stays in the log."""
    tutor = fake_tutor(seconds=0.0)
    _answering(monkeypatch, tutor, Lost(reason="the zygote is gone"))
    app = _open(tutor)
    _run(app)
    assert NOT_RUN in [warning.value for warning in app.warning]
    assert "zygote" not in _said(app)


def test_a_run_with_an_earlier_text_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result stays, with a note, until the lines are run again."""
    tutor = fake_tutor(seconds=0.0)
    _answering(monkeypatch, tutor, Looked(printed="7\n"))
    app = _open(tutor)
    _run(app)
    assert "earlier version" not in _said(app)
    tutor.save_draft(tutor.learner(), SLUG, "x = 2")
    assert "Made with an earlier version of your code" in _said(_open(tutor))


@pytest.mark.parametrize("how", ["refused", "not stored"])
def test_what_is_not_taken_says_why(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """A refusal is shown beside the button; a database that refuses is our fault."""
    tutor = fake_tutor(seconds=0.0)

    def try_out(*_: Any) -> Refusal:
        if how == "not stored":
            raise StoreError("The disk is full.")
        return Refusal(code="too-many-waiting", message="4 of your checks are not finished.", next_step="Wait.")

    monkeypatch.setattr(tutor, "try_out", try_out)
    app = _open(tutor)
    _run(app)
    said = _said(app)
    assert "not run" in said
    assert ("4 of your checks are not finished." if how == "refused" else "This is our fault") in said
