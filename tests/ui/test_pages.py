"""What the pages say, run without a browser."""

from __future__ import annotations

import html

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, READY, fake_tutor, hand_in
from tutor.dispatch.protocol import CheckerState
from tutor.errors import StoreError
from tutor.service import Tutor
from tutor.ui.words import ALL_HINTS, NO_HINT, UNREAD, checker_words, wall_words
from tutor.walls import Proof, Wall

SLUG = "multi-head-attention"


def _app(open_tutor) -> None:
    from tutor.ui.app import main  # noqa: PLC0415  the function's text alone is run

    main(open_tutor)


def _open(tutor: Tutor, slug: str = SLUG) -> AppTest:
    app = AppTest.from_function(_app, args=(lambda: tutor,), default_timeout=20)
    if slug:
        app.query_params["exercise"] = slug
    app.run()
    assert not app.exception
    return app


def _said(app: AppTest) -> str:
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.text, app.error, app.warning, app.info, app.code)
    labels = [expander.label for expander in app.expander]
    return "\n".join([*(str(element.value) for kind in kinds for element in kind), *labels])


def test_home_shows_the_path_and_what_was_reached() -> None:
    """Every exercise is there with its milestones; the best state of each is a word."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "view(B, h, T")
    said = _said(_open(tutor, ""))
    assert "1. Multi-head attention" in said
    assert "2. Causal attention" in said
    assert "Split and merge :gray[:small[failed]]" in said
    assert "The four matrices :gray[:small[passed]]" in said
    assert "Your code runs apart from everything else, on the CPU: it cannot read files, use the network" in said


def test_home_says_what_comes_first_until_it_is_passed() -> None:
    """Progress over the whole path, what is best done before, and one exercise that is open: the next."""
    tutor = fake_tutor(seconds=0.0)
    fresh = _open(tutor, "")
    assert "Best after Multi-head attention." in _said(fresh)
    assert not fresh.get("progress")
    assert [expander.proto.expanded for expander in fresh.expander] == [True, False]
    hand_in(tutor, "view(B, h, T")
    (progress,) = _open(tutor, "").get("progress")
    assert progress.proto.text == "3 of 10 milestones passed"
    hand_in(tutor, "passes")
    done = _open(tutor, "")
    assert "Best after" not in _said(done)
    assert [(expander.label, expander.proto.expanded) for expander in done.expander] == [
        ("5 of 5 milestones", False),
        ("0 of 5 milestones", True),
    ]


def test_unknown_exercise_is_said_and_does_not_act() -> None:
    """A made-up address ends on the first page with a sentence; its text is escaped."""
    said = _said(_open(fake_tutor(), "<b>x</b>"))
    assert "There is no exercise called “&#60;b&#62;x&#60;&#47;b&#62;”" in said


def test_exercise_before_the_first_check() -> None:
    """The task, five milestones that have not run, and no result."""
    app = _open(fake_tutor())
    assert sum("not run yet" in expander.label for expander in app.expander) == 5
    assert "What happens, in five steps" in _said(app)
    assert not app.subheader


def test_first_failing_milestone_is_open_with_its_finding() -> None:
    """The failing one is open with message, wanted, got, line and next step; what follows says what it waits for."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "view(B, h, T")
    app = _open(tutor)
    said = _said(app)
    opened = [expander.label for expander in app.expander if expander.proto.expanded and "task" not in expander.label]
    assert len(opened) == 1
    assert "Split and merge" in opened[0]
    assert "failed" in opened[0]
    assert "3 of 5 milestones passed" in said
    assert ":gray-badge[[line 8](#line-8)]" in said
    assert "Look at what &#95;&#95;init&#95;&#95; assigns to self" in said
    assert html.unescape(said).count("Waits for “With h > 1 the output equals the reference”.") == 1
    assert NASTY in [code.value for code in app.code]


def test_all_passed() -> None:
    """Five passed milestones are said in one line."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "passes")
    assert "All 5 milestones passed" in _said(_open(tutor))


def test_result_of_an_earlier_text_is_told_apart() -> None:
    """When the draft is no longer the checked text, the page says so."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "passes")
    tutor.save_draft(tutor.learner(), SLUG, "passes")
    assert "earlier version" not in _said(_open(tutor))
    tutor.save_draft(tutor.learner(), SLUG, "passes and more")
    assert "This result belongs to an earlier version of your code" in _said(_open(tutor))


def _diagnosis(app: AppTest) -> tuple[str, list[str]]:
    """What the page says, as it is read, and the labels of the buttons that show a hint."""
    return html.unescape(_said(app)), [button.label for button in app.button if "hint" in button.label]


def test_the_reason_is_said_at_once_and_its_hints_are_not() -> None:
    """A failure whose reason is known says it with the line and offers the first hint; no hint is shown yet."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "unscaled")
    said, buttons = _diagnosis(_open(tutor))
    assert ":material/search: **The reason** :gray-badge[[line 8](#line-8)]" in said
    assert "The scores go into the softmax without the factor `1 / sqrt(d_k)`." in said
    assert buttons == ["Show a hint (1 of 3)"]
    assert "Hint 1" not in said
    assert "What happens to the size of a dot product" not in said


def test_hints_come_one_at_a_time_and_are_there_after_a_reload() -> None:
    """Each press shows one more and keeps the earlier ones; a new visit shows what was taken; after the last no button is left."""
    tutor = fake_tutor(seconds=0.0)
    number = hand_in(tutor, "unscaled").id
    app = _open(tutor)
    for taken in range(2):
        app.button(key=f"hint-{number}-{taken}").click().run()
    for visit in (app, _open(tutor)):
        said, buttons = _diagnosis(visit)
        assert "Hint 1 of 3\nHint 2 of 3" in said
        assert "grows like `sqrt(d_k)`" in said
        assert "/ math.sqrt(d_k)" not in said
        assert buttons == ["Show a hint (3 of 3)"]
    app.button(key=f"hint-{number}-2").click().run()
    said, buttons = _diagnosis(app)
    assert "scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)" in [code.value for code in app.code]
    assert ALL_HINTS in said
    assert buttons == []


def test_several_causes_have_their_hints_one_cause_after_the_other() -> None:
    """With two causes the button names the one its hint is on; fenced code is a block."""
    tutor = fake_tutor(seconds=0.0)
    number = hand_in(tutor, "unscaled exchanged").id
    app = _open(tutor)
    labels = []
    for taken in range(6):
        labels += _diagnosis(app)[1]
        app.button(key=f"hint-{number}-{taken}").click().run()
    assert labels == [
        f"Show a hint on the {cause} cause ({n} of 3)" for cause in ("first", "second") for n in (1, 2, 3)
    ]
    said, buttons = _diagnosis(app)
    assert "**The 2 reasons**" in said
    assert ":gray-badge[[line 9](#line-9)]" in said
    assert "Hint 3 of 3, first cause\nHint 1 of 3, second cause" in said
    assert "scores = Q @ K.transpose(-2, -1)\nweights = scores.softmax(dim=-1)" in [code.value for code in app.code]
    assert buttons == []


def test_a_hint_that_cannot_be_had_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the hint cannot be stored, one sentence says so, and the button stays for another try."""
    tutor = fake_tutor(seconds=0.0)
    number = hand_in(tutor, "unscaled").id

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("disk full")

    app = _open(tutor)
    with monkeypatch.context() as broken:
        broken.setattr(tutor, "take_hint", refuse)
        app.button(key=f"hint-{number}-0").click().run()
    said, buttons = _diagnosis(app)
    assert NO_HINT in said
    assert buttons == ["Show a hint (1 of 3)"]
    app.button(key=f"hint-{number}-0").click().run()
    assert NO_HINT not in _diagnosis(app)[0]


@pytest.mark.parametrize("source", ["view(B, h, T", "passes unscaled", "broken unscaled"])
def test_without_a_failure_or_a_known_reason_there_is_no_ladder(source: str) -> None:
    """A failure nobody can explain, a pass and a broken check show neither reason nor hint."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, source)
    said, buttons = _diagnosis(_open(tutor))
    assert "The reason" not in said
    assert buttons == []


def test_broken_verdict_does_not_count() -> None:
    """One paragraph says that it is ours and what to do next, every milestone says broken, and nothing of the reason is told."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "view(B, h, T")
    hand_in(tutor, "broken")
    app = _open(tutor)
    said = _said(app)
    assert said.count("our fault") == 1
    assert "This is our fault and does not count" in said
    assert "Press Check to try again" in said
    assert "zygote" not in html.unescape(said)
    assert "PoolError" not in said
    assert sum("broken" in expander.label for expander in app.expander) == 5
    assert said.count("passed in an earlier attempt] It still counts.") == 3


def test_error_and_printed_text_are_plain() -> None:
    """The error's text and what was printed stand in elements that do not act."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "raises")
    app = _open(tutor)
    assert f"RuntimeError: {NASTY}" in [code.value for code in app.code]
    assert f"hello\n{NASTY}" in [code.value for code in app.code]
    assert all(NASTY not in str(element.value) for element in app.markdown)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raises", "The code stopped on line 10 in forward: RuntimeError"),
        ("endless", "The code was still running in forward after 3.0 seconds and was stopped."),
        ("misnamed", "The file runs, but there is no MultiHeadAttention in it. It defines MultiheadAttention."),
    ],
)
def test_code_that_stopped_is_told_once(source: str, told: str) -> None:
    """What ended the run stands at the check that failed by it and nowhere else; the rest waits for that check."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, source)
    said = html.unescape(_said(_open(tutor)))
    assert said.count(told) == 1
    assert "0 of 5 milestones passed" in said
    assert said.count("Waits for “There are 4 matrices without bias”.") == said.count("Waits for") == 5


@pytest.mark.parametrize(
    ("problem", "words"), [("", "The checker is starting"), ("no seccomp here.", "no seccomp here")]
)
def test_checker_that_is_not_ready(problem: str, words: str) -> None:
    """A checker that starts or refuses is a banner, and a submission waits with its place in the queue."""
    tutor = fake_tutor(state=CheckerState(ready=False, problem=problem))
    hand_in(tutor, "one", wait=0.0)
    hand_in(tutor, "two", wait=0.0)
    said = _said(_open(tutor)).replace("&#46;", ".")
    assert words in said
    assert "Waiting, 1 ahead" in said
    assert f"our fault. {problem}" in said if problem else "our fault" not in said


def test_refused_text_is_a_sentence() -> None:
    """A text with a NUL character is not handed in, and the page says what to do."""
    app = _open(fake_tutor())
    desk = app.session_state[f"desk:{SLUG}"]
    desk.submit("x = 1\0")
    app.run()
    said = _said(app)
    assert ":orange-badge[:material/block: not handed in] :orange-badge[:material/block: draft not saved]" in said
    assert said.count("Line 1 contains a NUL character") == 1
    assert "Delete the invisible character" in said


def test_a_draft_that_could_not_be_saved_has_a_word_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft that was not saved is not called “not handed in”: nobody handed it in."""
    tutor = fake_tutor()

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("disk full")

    app = _open(tutor)
    monkeypatch.setattr(tutor, "save_draft", refuse)
    app.session_state[f"desk:{SLUG}"].write("x = 1")
    app.run()
    said = _said(app)
    assert "draft not saved" in said
    assert "not handed in" not in said
    assert "The text is still in the editor" in said


def test_the_editor_is_drawn_whatever_the_last_result_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A last result that cannot be read leaves one sentence in its place; editor, Check and the milestones are there."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "view(B, h, T")

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("stored in a form this version cannot read")

    monkeypatch.setattr(tutor, "latest", refuse)
    app = _open(tutor)
    app.toggle(key=f"plain:{SLUG}").set_value(True).run()
    assert "Your code" in [area.label for area in app.text_area]
    assert any(button.label == "Check" for button in app.button)
    assert not app.error
    assert [warning.value for warning in app.warning] == [UNREAD]
    assert sum("not run yet" in expander.label for expander in app.expander) == 5


def test_plain_text_editor_checks_its_text() -> None:
    """The labelled text area takes over the text, and its button hands in what stands there."""
    tutor = fake_tutor(seconds=0.0)
    app = _open(tutor)
    app.toggle(key=f"plain:{SLUG}").set_value(True).run()
    app.text_area[0].set_value("passes").run()
    app.button(key=f"{app.text_area[0].key}-check").click().run()
    desk = app.session_state[f"desk:{SLUG}"]
    assert desk.asked_at is not None
    desk.asked_at -= 1
    app.run()
    assert "All 5 milestones passed" in _said(app)


def test_our_exception_is_one_plain_sentence(caplog: pytest.LogCaptureFixture) -> None:
    """When our own code fails the page says so in words, and the traceback goes to the log."""
    tutor = fake_tutor()
    tutor.learner = None  # type: ignore[method-assign, assignment]
    app = _open(tutor)
    assert [error.value for error in app.error] == [
        "This is our fault, not yours. What you wrote is kept. Please reload the page; if it happens again, tell your tutor."
    ]
    assert "Traceback" not in _said(app)
    assert "TypeError" in caplog.text


def test_the_walls_are_named_and_nothing_is_claimed_without_them() -> None:
    """Every reported wall is named behind the line; what code cannot do is said only where the walls for it stand."""
    assert wall_words(READY).startswith("The walls around it: own process, landlock, seccomp")
    assert "a moat" in wall_words(READY)
    bare = CheckerState(ready=True, device="cpu")
    assert checker_words(bare) == "Your code runs apart from everything else, on the CPU."
    assert wall_words(bare) == ""


def test_a_server_without_walls_warns_on_every_page() -> None:
    """Whoever pastes code there reads it first, and nothing is claimed that does not hold."""
    walls = tuple(Wall(id=one, on=True) for one in ("own process", "seccomp"))
    state = CheckerState(ready=True, device="cpu", proof=Proof(walls=walls, holes=("open a file (succeeded)",)))
    for slug in ("", SLUG):
        said = _said(_open(fake_tutor(state=state), slug))
        assert "**This server runs code without walls that hold.**" in said
        assert "Code runs on the CPU, behind walls that do not hold. [What is missing](./walls)" in said
