"""The attention lens on the page, run without a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, fake_tutor, hand_in
from tests.ui.test_pages import SLUG, _open, _said
from tutor.service import Tutor
from tutor.trials import Lens, Purpose
from tutor.ui.lens_view import BY_HAND, FROM_OUTPUT, SENTENCE

KEY = f"lens-{SLUG}"


def _looked(tutor: Tutor, source: str = "x = 1", sentence: str = SENTENCE, *, causal: bool = False) -> AppTest:
    """The page after the button was pressed for a text."""
    tutor.save_draft(tutor.learner(), SLUG, source)
    app = _open(tutor)
    app.text_input(key=KEY).input(sentence)
    app.toggle(key=f"{KEY}-causal").set_value(causal)
    app.button(key=f"{KEY}-show").click().run()
    assert not app.exception
    return app


def _asked(tutor: Tutor) -> Lens | None:
    found = tutor.latest_trial(tutor.learner(), SLUG, Purpose.LENS)
    return found.trial if found is not None and isinstance(found.trial, Lens) else None


def _charts(app: AppTest) -> list[Any]:
    return [element.proto for element in app.get("vega_lite_chart")]


def test_the_heads_stand_beside_the_reference_s() -> None:
    """Two heads at first, each with two maps, a text for who cannot see them, and what such maps are worth."""
    tutor = fake_tutor(seconds=0.0)
    app = _looked(tutor)
    assert _asked(tutor) == Lens(words=tuple(SENTENCE.split()))
    said = _said(app)
    assert "**Head 4 differs from the reference.**" in said
    assert "**Head 1**: the first" in said
    assert "Yours: the same" in said
    assert BY_HAND in said
    assert FROM_OUTPUT not in said
    charts = _charts(app)
    assert len(charts) == 4
    assert [chart.alt for chart in charts[:2]] == ["Yours, head 1", "Reference, head 1"]
    assert "Yours looks most at: 1 the → 1 the; 2 cat → 1 the; 3 saw → 2 cat;" in said
    assert json.loads(charts[0].spec)["layer"]


def test_any_head_can_be_looked_at() -> None:
    """Those that are picked are shown, in their order; with none there is a word instead of an empty place."""
    app = _looked(fake_tutor(seconds=0.0), causal=True)
    pills = app.button_group(key=f"{KEY}-heads")
    pills.set_value([3, 0]).run()
    said = _said(app)
    assert said.index("**Head 1**") < said.index("**Head 4**")
    assert "**Head 2**" not in said
    assert "Yours: 36 of 36 cells differ, 15 leak" in said
    assert "Yours looks most at: 1 the → all alike;" in said
    assert "The reference looks most at: 1 the → 1 the; 2 cat → 1 the;" in said
    assert "Grey: later words, which are hidden. ✕: a leak" in said
    app.button_group(key=f"{KEY}-heads").set_value([]).run()
    assert "Pick a head" in _said(app)
    assert not _charts(app)


def test_all_heads_right_is_said_and_what_lies_behind_them_too() -> None:
    """Right weights do not make the output right."""
    said = _said(_looked(fake_tutor(seconds=0.0), "passes"))
    assert "All 4 heads look where they should" in said
    assert "The output is another one" not in said
    said = _said(_looked(fake_tutor(seconds=0.0), "elsewhere"))
    assert "The output is another one all the same" in said


def test_code_that_stops_is_told_beside_the_reference() -> None:
    """What stopped it does not act, and there is still something to look at."""
    app = _looked(fake_tutor(seconds=0.0), "raises")
    said = _said(app)
    assert "It stopped" in said
    assert NASTY in [text.value for text in app.text]
    assert "the maps of a right answer" in said
    assert "Yours" not in said
    assert len(_charts(app)) == 2


def test_an_empty_sentence_says_what_to_type() -> None:
    """Nobody is told that nothing has 0 words."""
    said = _said(_looked(fake_tutor(seconds=0.0), sentence="  "))
    assert "Type a sentence of 2 to 12 words, such as “the cat saw the other cat”, and press the button again." in said
    assert "yours has" not in said


def test_maps_of_an_earlier_question_say_so() -> None:
    """The switch or the sentence has changed since: what is below is told apart from what stands above, until it is asked again."""
    tutor = fake_tutor(seconds=0.0)
    app = _looked(tutor, "passes")
    assert "All 4 heads look where they should, with no word hidden." in _said(app)
    assert "earlier question" not in _said(app)
    app.toggle(key=f"{KEY}-causal").set_value(True).run()
    said = _said(app)
    assert "Made for an earlier question" in said
    assert "Below is what came of later words not hidden. Press “Show the heads” for the new one." in said
    app.text_input(key=KEY).input("a *b* c").run()
    assert f"what came of the sentence “{SENTENCE}” and later words not hidden." in _said(app)
    app.button(key=f"{KEY}-show").click().run()
    said = _said(app)
    assert "All 4 heads look where they should, with later words hidden." in said
    assert "earlier question" not in said
    app.text_input(key=KEY).input("").run()
    assert "what came of the sentence “a &#42;b&#42; c”." in _said(app)


def test_a_failed_check_of_the_mask_hides_later_words() -> None:
    """Its fault shows with the mask alone. Who turns it off has it off until the next verdict."""
    tutor = fake_tutor(seconds=0.0)
    app = _open(tutor)
    assert app.toggle(key=f"{KEY}-causal").value is False
    hand_in(tutor, "inverted")
    app.run()
    assert app.toggle(key=f"{KEY}-causal").value is True
    app.toggle(key=f"{KEY}-causal").set_value(False).run()
    app.run()
    assert app.toggle(key=f"{KEY}-causal").value is False
    assert _open(tutor).toggle(key=f"{KEY}-causal").value is True


@pytest.mark.parametrize("source", ["view(B, h, T", "passes", "broken"])
def test_other_verdicts_leave_the_switch_alone(source: str) -> None:
    """Without a failed check of the mask there is nothing that it would show."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, source)
    assert _open(tutor).toggle(key=f"{KEY}-causal").value is False


def test_a_look_after_the_verdict_counts_more_than_the_verdict() -> None:
    """Whoever comes back finds the switch as the look was asked for."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, "inverted")
    _looked(tutor, "inverted", causal=False)
    assert _open(tutor).toggle(key=f"{KEY}-causal").value is False


@pytest.mark.parametrize(("sentence", "there"), [("one", "1 word."), ("a b c d e f g h i j k l m", "13 words.")])
def test_a_sentence_that_cannot_be_shown_says_what_can(sentence: str, there: str) -> None:
    """Nothing is handed in."""
    tutor = fake_tutor(seconds=0.0)
    said = _said(_looked(tutor, sentence=sentence))
    assert f"yours has {there} Change it and press the button again." in said
    assert _asked(tutor) is None


def test_long_words_are_cut_and_do_not_act() -> None:
    """Blanks of any kind part words; what is typed is shown as it is."""
    tutor = fake_tutor(seconds=0.0)
    app = _looked(tutor, sentence=f"  **bold**\t<img src=x> {'x' * 30} ")
    trial = _asked(tutor)
    assert trial is not None
    assert trial.words == ("**bold**", "<img", "src=x>", "x" * 24)
    assert "&#42;&#42;bold&#42;&#42;" in _said(app)


def test_sentence_mask_and_maps_are_there_on_return() -> None:
    """The page shows the newest look again, with what it was asked for."""
    tutor = fake_tutor(seconds=0.0)
    _looked(tutor, sentence="a b a", causal=True)
    again = _open(tutor)
    assert again.text_input(key=KEY).value == "a b a"
    assert again.toggle(key=f"{KEY}-causal").value is True
    assert len(_charts(again)) == 4
    tutor.save_draft(tutor.learner(), SLUG, "x = 2")
    assert "Made with an earlier version of your code" in _said(_open(tutor))


def test_an_exercise_without_heads_has_no_tab() -> None:
    """Nothing is offered that there is not."""
    labels = [tab.label for tab in _open(fake_tutor(seconds=0.0), "causal-attention").tabs]
    assert "Heads" not in labels
    assert "Heads" in [tab.label for tab in _open(fake_tutor(seconds=0.0)).tabs]
