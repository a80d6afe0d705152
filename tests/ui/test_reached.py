"""What the pages say of milestones that were passed, with hints and without, and what they invite to next."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import exercise, fake_tutor, hand_in
from tests.ui.test_pages import SLUG, _open, _said
from tutor.service import Tutor
from tutor.ui.words import ONCE_MORE, path_words


@pytest.fixture
def tutor() -> Tutor:
    """A tutor with a checker that takes no time."""
    return fake_tutor(seconds=0.0)


def _hinted(tutor: Tutor, source: str = "unscaled") -> None:
    """Fail at “One head”, and take a hint."""
    failed = hand_in(tutor, source)
    assert tutor.take_hint(tutor.learner(), failed.id, 0) is not None


def _rail(app: AppTest) -> list[str]:
    """The state word of every milestone, in order."""
    labels = [expander.label for expander in app.expander if "\\. " in expander.label]
    return [label.rsplit(": ", 1)[1].removesuffix("]") for label in labels]


@pytest.mark.parametrize(
    ("passed", "hinted", "said"),
    [
        (3, 0, "3 of 40 milestones passed"),
        (12, 3, "12 of 40 milestones passed, 9 of them without hints"),
        (2, 1, "2 of 40 milestones passed, 1 of them without hints"),
        (2, 2, "2 of 40 milestones passed, with hints"),
    ],
)
def test_how_far_one_has_come(passed: int, hinted: int, said: str) -> None:
    """What was done without hints is counted where the two differ; nobody is told of none."""
    assert path_words(passed, 40, hinted) == said


def test_home_keeps_both_apart(tutor: Tutor) -> None:
    """One word more at the milestone, and a count over the path; until it is passed a hint leaves no trace there."""
    _hinted(tutor)
    app = _open(tutor, "")
    assert "hint" not in _said(app)
    assert app.get("progress")[0].proto.text == "2 of 10 milestones passed"
    hand_in(tutor, "passes")
    app = _open(tutor, "")
    assert "One head :gray[:small[passed, with hints]]" in _said(app)
    assert _said(app).count("with hints") == 1
    assert app.get("progress")[0].proto.text == "5 of 10 milestones passed, 4 of them without hints"


def test_the_rail_keeps_both_apart(tutor: Tutor) -> None:
    """The milestone for which a hint was taken says so as long as it passes, and that it did when it does no more."""
    _hinted(tutor)
    hand_in(tutor, "passes")
    assert _rail(_open(tutor)) == ["passed", "passed", "passed, with hints", "passed", "passed"]
    hand_in(tutor, "unscaled")
    app = _open(tutor)
    assert _rail(app) == ["passed", "passed", "failed", "not run yet", "not run yet"]
    assert _said(app).count("passed in an earlier attempt, with hints] It still counts.") == 1
    assert _said(app).count("passed in an earlier attempt] It still counts.") == 2


def test_once_more_is_offered_once(tutor: Tutor) -> None:
    """With the first text that passes the whole exercise, where a hint was taken, and never again."""
    _hinted(tutor)
    hand_in(tutor, "view(B, h, T")
    assert ONCE_MORE not in _said(_open(tutor))
    hand_in(tutor, "passes")
    assert _said(_open(tutor)).count(ONCE_MORE) == 1
    hand_in(tutor, "passes again")
    assert ONCE_MORE not in _said(_open(tutor))


def test_who_took_no_hint_hears_nothing_of_hints(tutor: Tutor) -> None:
    """Neither on the exercise's page nor on the first one."""
    hand_in(tutor, "unscaled")
    hand_in(tutor, "passes")
    assert "hint" not in _said(_open(tutor)) + _said(_open(tutor, ""))


@pytest.mark.parametrize(
    ("source", "following"),
    [
        ("nothing holds", "Next: **1\\. The four matrices**"),
        ("unscaled", "Next: **3\\. One head**"),
        ("view(B, h, T", "Next: **4\\. Split and merge**"),
        ("passes", ""),
        ("broken", ""),
    ],
)
def test_the_next_milestone_is_named(tutor: Tutor, source: str, following: str) -> None:
    """The one to work on now stands under the count, and it is the one that is open; with nothing left to do none is named."""
    assert "Next: " not in _said(_open(tutor))
    hand_in(tutor, source)
    app = _open(tutor)
    named = [element.value for element in app.markdown if "Next: " in element.value]
    assert named == ([f":material/flag: {following}"] if following else [])
    opened = [one.label for one in app.expander if one.proto.expanded and "\\. " in one.label]
    assert len(opened) == len(named)
    assert not opened or opened[0].split(" :")[0] in following


def test_after_a_pass_the_next_exercise_is_one_click_away(tutor: Tutor) -> None:
    """The next one on the path; behind the last, the path itself."""
    learner = tutor.learner()
    for slug, label in ((SLUG, "Next: Causal attention"), ("causal-attention", "All exercises")):
        failed, passed = (tutor.submit(learner, slug, source) for source in ("unscaled", "passes"))
        assert tutor.wait(learner, failed.id, 5) is not None
        assert tutor.wait(learner, passed.id, 5) is not None
        links = [link.proto.label for link in _open(tutor, slug).get("page_link")]
        assert links[-2:] == ["Compare with the reference", label]


def test_an_exercise_once_passed_stays_open_for_comparison(tutor: Tutor) -> None:
    """A later attempt that fails leaves the invitation, and says why it is there; without a pass there is none."""

    def seen() -> tuple[bool, bool]:
        app = _open(tutor)
        links = [link.proto.label for link in app.get("page_link")]
        return "Compare with the reference" in links, "You have passed this exercise before." in _said(app)

    hand_in(tutor, "unscaled")
    assert seen() == (False, False)
    hand_in(tutor, "passes")
    assert seen() == (True, False)
    hand_in(tutor, "misnamed")
    assert seen() == (True, True)


def test_an_untouched_starter_is_told_so(tutor: Tutor) -> None:
    """One calm sentence above the verdict, which stays; another text has none."""
    starter = exercise().starter
    for source, told in ((starter, True), (f"{starter}# mine", False)):
        hand_in(tutor, source)
        app = _open(tutor)
        assert any("Nothing written yet: this is the starter." in one.value for one in app.markdown) is told
        assert "milestones passed" in _said(app)
