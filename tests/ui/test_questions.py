"""Learning questions on the page and behind it, without a browser."""

from __future__ import annotations

import html
import re

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from tests.ui.fakes import QUIZ, fake_tutor
from tests.ui.test_pages import SLUG, _open
from tutor.errors import StoreError
from tutor.model import Mark
from tutor.quiz import KINDS, Order
from tutor.service import Tutor
from tutor.ui.answer_fields import choices_of
from tutor.ui.held_answers import _text
from tutor.ui.text import label, prose
from tutor.ui.words import KINDS_OF_QUESTION, NOT_KEPT


def _said(app: AppTest) -> str:
    return html.unescape("\n".join(str(one.value) for kind in (app.markdown, app.caption, app.code) for one in kind))


def _turn_to(app: AppTest, name: str) -> None:
    number = [question.id for question in QUIZ].index(name)
    app.button_group(key=f"question-{SLUG}").set_value(number).run()


def _field(app: AppTest) -> TextInput:
    """The one field of a question."""
    (field,) = (one for one in app.text_input if str(one.key).startswith("answer-"))
    return field


def _press(app: AppTest, name: str) -> None:
    next(button for button in app.button if button.label == name).click().run()


def _marks(tutor: Tutor) -> dict[str, tuple[Mark, Mark]]:
    found = tutor._store.answers(tutor.learner().id, SLUG)
    return {name: (answer.mark, answer.best) for name, answer in found.items()}


def test_an_exercise_without_questions_has_no_tab_for_them() -> None:
    """Only where there are questions is there a tab that counts them."""
    assert [tab.label for tab in _open(fake_tutor()).tabs][:2] == ["The task", "Questions (10)"]
    assert "The task" not in [tab.label for tab in _open(fake_tutor(), "causal-attention").tabs]


def test_a_question_is_answered_kept_and_seen_again() -> None:
    """A wrong answer and a right one are both kept; a new visit begins with the first question that is not done."""
    tutor = fake_tutor()
    app = _open(tutor)
    assert "Not answered yet." in _said(app)
    _turn_to(app, "count-256")
    _field(app).set_value("65536")
    _press(app, "Check answer")
    assert "You wrote 65,536. How wide is the matrix of one head?" in _said(app)
    _field(app).set_value("4·256²")
    _press(app, "Check answer")
    assert "262,144 is right. The heads share the width" in _said(app)
    assert _marks(tutor) == {"count-256": (Mark.RIGHT, Mark.RIGHT)}
    again = _open(tutor)
    assert "How many parameters have the four matrices" in _said(again)
    _turn_to(again, "count-256")
    assert _field(again).value == "4·256²"
    assert ":green-badge[:material/check_circle: right]" in _said(again)


def test_what_cannot_be_read_is_said_and_not_kept() -> None:
    """The sentence stays until the next answer, and nothing is stored."""
    tutor = fake_tutor()
    app = _open(tutor)
    _turn_to(app, "weights-shape")
    _field(app).set_value("(B, h, T, T)")
    _press(app, "Check answer")
    assert "Here every size is a number." in _said(app)
    assert _marks(tutor) == {}


def test_an_answer_that_cannot_be_kept_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the store refuses, one sentence says so, and what was written stays in the field."""
    tutor = fake_tutor()
    app = _open(tutor)
    _turn_to(app, "count-256")

    def refuse(*_: object) -> None:
        raise StoreError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(tutor, "answer", refuse)
        _field(app).set_value("1")
        _press(app, "Check answer")
    assert NOT_KEPT in _said(app)
    assert _field(app).value == "1"
    _press(app, "Check answer")
    assert NOT_KEPT not in _said(app)


def test_questions_that_cannot_be_read_leave_the_editor_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the answers cannot be had, one sentence stands in their place, and the page goes on."""
    tutor = fake_tutor()

    def refuse(*_: object) -> None:
        raise StoreError("stored in a form this version cannot read")

    monkeypatch.setattr(tutor, "quiz", refuse)
    app = _open(tutor)
    assert len(app.error) == 1
    assert any(button.label == "Check" for button in app.button)


def test_what_is_held_stands_in_the_fields_until_it_is_answered() -> None:
    """A field begins with what stood in it when it was left rather than with the last answer; an answer lets that go."""
    tutor = fake_tutor()
    app = _open(tutor)
    _turn_to(app, "count-256")
    _field(app).set_value("1")
    _press(app, "Check answer")
    _turn_to(app, "weights-shape")
    app.session_state[f"held-{SLUG}-count-256"] = ("half an an",)
    _turn_to(app, "count-256")
    assert _field(app).value == "half an an"
    _press(app, "Check answer")
    assert f"held-{SLUG}-count-256" in app.session_state
    _field(app).set_value("262144")
    _press(app, "Check answer")
    assert f"held-{SLUG}-count-256" not in app.session_state


def test_what_a_browser_sends_to_be_held_fits_its_field() -> None:
    """Choices come as their number, the rest as text; what no field could show is as if nothing were written."""
    for question in QUIZ:
        choices = choices_of(question)
        if choices:
            assert [_text(question, part) for part in (1, -1, len(choices), "x")] == [choices[1], "", "", ""]
        elif isinstance(question, Order):
            assert [_text(question, part) for part in ("2", "0", "99", "x", None)] == ["2", "", "", "", ""]
        else:
            assert [_text(question, part) for part in ("half", "", 1)] == ["half", "", ""]


def test_the_same_answer_is_kept_once() -> None:
    """A second click on the same answer adds no row; another answer does, and so does another mark of one's own."""
    tutor = fake_tutor()
    me = tutor.learner()
    kept: list[str] = []
    add = tutor._store.add_answer

    def count(learner_id: int, slug: str, question: str, text: str, mark: Mark) -> None:
        kept.append(f"{text} {mark}")
        add(learner_id, slug, question, text, mark)

    tutor._store.add_answer = count  # type: ignore[method-assign]
    for text in ("1", "1", "2", "2", "1"):
        tutor.answer(me, SLUG, "count-256", (text,))
    assert kept == ["1 wrong", "2 wrong", "1 wrong"]
    tutor.mark_own(me, SLUG, "why-heads", Mark.RIGHT)
    tutor.answer(me, SLUG, "why-heads", ("because",))
    for how in (Mark.WRONG, Mark.WRONG, Mark.RIGHT):
        tutor.mark_own(me, SLUG, "why-heads", how)
    tutor.answer(me, SLUG, "why-heads", ("because",))
    assert kept[3:] == ["because unmarked", "because wrong", "because right"]


def test_every_kind_is_introduced() -> None:
    """Above each question stands what is to be done, and the milestone that it belongs to, if any."""
    assert set(KINDS_OF_QUESTION) == set(KINDS)
    said = _said(_open(fake_tutor()))
    assert "**Predict first**, for milestone 1: “The four matrices”" in said


def test_there_is_no_answer_to_what_was_not_asked() -> None:
    """An exercise or a question that does not exist is an error of the caller."""
    tutor = fake_tutor()
    for slug, name in (("nothing", "count-256"), (SLUG, "nothing")):
        with pytest.raises(KeyError):
            tutor.answer(tutor.learner(), slug, name, ("1",))
    with pytest.raises(KeyError):
        tutor.quiz(tutor.learner(), "nothing")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Every head sees all tokens.", "Every head sees all tokens."),
        ("queries times keys, divided by √d_k: (B, h, T, T)", "queries times keys, divided by √d_k: (B, h, T, T)"),
        ("h 1 · d_k 512", "h 1 · d_k 512"),
        ("`x.view(B, h)` and `y`", "`x.view(B, h)` and `y`"),
        ("*a* _b_ $c$ :red[d]", "&#42;a&#42; &#95;b&#95; &#36;c&#36; &#58;red&#91;d&#93;"),
        ("1. one", "1&#46; one"),
        ("- one", "&#45; one"),
        ("an ` alone <b>", "an &#96; alone &#60;b&#62;"),
    ],
)
def test_the_label_of_a_field_is_read_as_it_is_written(text: str, source: str) -> None:
    """A label is also read out, so that it has plain characters wherever these do not act."""
    assert label(text) == source
    assert html.unescape(label(text)) == html.unescape(prose(text))


def _ticked(app: AppTest) -> list[str]:
    """The numbers of the questions that have a tick in the list."""
    (style,) = (one.proto.body for one in app.get("html") if "✓" in one.proto.body)
    return re.findall(r"nth-child\((\d+)\)", style)


def test_a_tick_is_for_what_was_answered_right() -> None:
    """A prediction that was not right is done, and counted, but has no tick; one that was right has."""
    for prediction, ticks in (("4*4*32**2", ["2"]), ("4*32**2", ["1", "2"])):
        tutor = fake_tutor()
        me = tutor.learner()
        tutor.answer(me, SLUG, "foretell-count", (prediction,))
        tutor.answer(me, SLUG, "count-256", ("4*256**2",))
        app = _open(tutor)
        assert _ticked(app) == ticks
        assert any("2 of 10 questions done" in str(one.proto.text) for one in app.get("progress"))


def test_a_table_shows_what_is_to_be_written() -> None:
    """Every field of a column has an example of the kind that it takes."""
    app = _open(fake_tutor())
    _turn_to(app, "counts")
    fields = [one for one in app.text_input if str(one.key).startswith("answer-")]
    assert {one.placeholder for one in fields} == {"a number, such as 1,536 or 3*512"}
