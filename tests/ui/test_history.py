"""The list of attempts, and the word about another tab, without a browser."""

from __future__ import annotations

import html

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, fake_tutor, hand_in
from tests.ui.test_pages import SLUG, _open
from tutor.errors import StoreError
from tutor.ui.past import PAGE


def _rows(app: AppTest) -> list[str]:
    """The labels of the attempts listed."""
    return [one.label for one in app.expander if one.key and one.key.startswith("attempt-")]


def _unfold(app: AppTest, number: int) -> str:
    """Open an attempt; gives all that the page then says."""
    app.session_state[f"attempt-{number}"] = True
    app.run()
    kinds = (app.markdown, app.caption, app.code, app.text)
    return html.unescape("\n".join(str(one.value) for kind in kinds for one in kind))


def test_every_attempt_is_listed_the_newest_first() -> None:
    """Each row says in words how far the attempt came; before the first check there is a sentence."""
    tutor = fake_tutor(seconds=0.0)
    assert "Nothing here yet." in [one.value.partition(" Every")[0] for one in _open(tutor).caption]
    for text in ("x", "view(B, h, T", "broken", "passes"):
        hand_in(tutor, text)
    assert [label.partition(" :gray")[0] for label in _rows(_open(tutor))] == [
        ":green[:material/check_circle:] 5 of 5 milestones",
        ":orange[:material/build_circle:] does not count",
        ":red[:material/cancel:] 3 of 5 milestones",
        ":red[:material/cancel:] 0 of 5 milestones",
    ]


def test_a_row_tells_the_reason_in_a_few_words() -> None:
    """The first words of what explains the failure, or the check that failed first; nothing where nothing failed."""
    tutor = fake_tutor(seconds=0.0)
    for text in ("passes", "unscaled", "view(B, h, T"):
        hand_in(tutor, text)
    briefly = [
        html.unescape(label).partition(" :gray[:small")[0].partition("milestones")[2] for label in _rows(_open(tutor))
    ]
    assert briefly == [
        " :gray[· With h > 1 the output equals the reference]",
        " :gray[· The scores go into the softmax without the factor 1 / …]",
        "",
    ]


def test_an_attempt_is_unfolded_with_its_reason_and_what_had_changed() -> None:
    """The first shows its text, a later one the lines that changed; a known reason is said, else the check that failed first."""
    tutor = fake_tutor(seconds=0.0)
    first, second = hand_in(tutor, f"a = 1\n# {NASTY}\nview(B, h, T"), hand_in(tutor, f"a = 2\n# {NASTY}\nunscaled")
    app = _open(tutor)
    said = _unfold(app, first.id)
    assert first.source in said
    assert "The first attempt" in said
    assert "The first check that failed: With h > 1 the output equals the reference" in said
    said = _unfold(app, second.id)
    assert "The scores go into the softmax without the factor" in said
    assert f"lines 1 to 3\n-a = 1\n+a = 2\n # {NASTY}\n-view(B, h, T\n+unscaled" in said
    assert all(NASTY not in str(one.value) for one in app.markdown)


def test_an_attempt_goes_back_into_the_editor() -> None:
    """Its text is the draft, what stood there comes back on request, and the row says that it is the text in the editor."""
    tutor = fake_tutor(seconds=0.0)
    first = hand_in(tutor, "passes")
    hand_in(tutor, "passes, later")
    tutor.save_draft(tutor.learner(), SLUG, "half a line")
    app = _open(tutor)
    assert "stays within reach" in _unfold(app, first.id)
    app.button(key=f"restore-{first.id}").click().run()
    assert "This is the text in the editor." in _unfold(app, first.id)
    draft = tutor.draft(tutor.learner(), SLUG)
    assert draft is not None
    assert (draft.source, draft.aside) == ("passes", "half a line")
    app.button(key="bring-back").click().run()
    assert app.session_state[f"desk:{SLUG}"].text == "half a line"


def test_older_attempts_come_on_request() -> None:
    """Ten are listed; the button lists more, and goes when there are no others."""
    tutor = fake_tutor(seconds=0.0)
    for number in range(PAGE + 1):
        hand_in(tutor, f"text {number}")
    app = _open(tutor)
    assert len(_rows(app)) == PAGE
    app.button(key=f"older-{SLUG}").click().run()
    app.run()
    assert len(_rows(app)) == PAGE + 1
    assert all(one.label != "Show older" for one in app.button)


def test_a_list_that_cannot_be_had_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence in its place, and the rest of the page is there."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "passes")

    def refuse(*_: object) -> None:
        raise StoreError("disk full")

    monkeypatch.setattr(tutor, "history", refuse)
    app = _open(tutor)
    assert ["cannot be listed just now, which is our fault" in one.value for one in app.warning] == [True]
    assert not app.error


@pytest.mark.parametrize(("button", "kept"), [("take-newer", "newer"), ("keep-mine", "mine")])
def test_a_newer_text_of_another_tab_is_told_and_chosen(button: str, kept: str) -> None:
    """Nothing is overwritten before a button is pressed; afterwards the question is gone."""
    tutor = fake_tutor()
    app = _open(tutor)
    assert all(one.key != button for one in app.button)
    tutor.save_draft(tutor.learner(), SLUG, "newer")
    app.session_state[f"desk:{SLUG}"].write("mine")
    app.run()
    assert any("which saved a newer text" in one.value for one in app.markdown)
    draft = tutor.draft(tutor.learner(), SLUG)
    assert draft is not None
    assert draft.source == "newer"
    app.button(key=button).click().run()
    assert all("which saved a newer text" not in one.value for one in app.markdown)
    draft = tutor.draft(tutor.learner(), SLUG)
    assert draft is not None
    assert (draft.source, app.session_state[f"desk:{SLUG}"].text) == (kept, kept)
