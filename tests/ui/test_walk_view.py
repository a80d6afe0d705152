"""The panel with the shapes of the learner's own lines, run without a browser."""

from __future__ import annotations

import html

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, fake_tutor, hand_in

SLUG = "multi-head-attention"


def _app(open_tutor) -> None:
    from tutor.ui.app import main  # noqa: PLC0415  the function's text alone is run

    main(open_tutor)


def _panel(source: str = "", draft: str = "") -> tuple[list[str], list[str]]:
    """What the panel says as Markdown, as it is read, and as plain text, after a check of the source."""
    tutor = fake_tutor(seconds=0.0)
    if source:
        hand_in(tutor, source)
        tutor.save_draft(tutor.learner(), SLUG, draft or source)
    app = AppTest.from_function(_app, args=(lambda: tutor,), default_timeout=60)
    app.query_params["exercise"] = SLUG
    app.run()
    assert not app.exception
    panel = next(tab for tab in app.tabs if tab.label == "Shapes")
    told = [html.unescape(str(one.value)) for kind in (panel.caption, panel.markdown) for one in kind]
    return told, [str(one.value) for one in panel.text]


def _code(*words: str) -> str:
    return "\n".join(["q, k, v = project(Q, K, V)", "    w = self.W_Q.weight", f"scores = 1  # {words[0]}", *words[1:]])


def test_lines_stand_with_their_shapes_and_ticks() -> None:
    """Sizes on top, then each line as plain text with numbers, names, how often, and what it equals."""
    told, code = _panel(_code("walks passes"))
    assert told[:2] == [
        "One call of your code, with B = 2, T_q = T_k = T = 7, d_model = 15, h = 3, d_k = 5. A tick names the stage of the reference that has the same numbers.",
        "4 more lines are not shown.",
    ]
    assert told[2].startswith("The results are those of the reference. Lines without a tick")
    assert told[3:] == [
        "(3, 5, 15) = (h, d_k, d_model)",
        "(2, 3, 7, 5) = (B, h, T_q, d_k) :green-badge[:material/check: = q_heads]  \n"
        "(2, 7, 3, 5) = (B, T_k, h, d_k), 2 times :green-badge[:material/check: = k_heads, v_heads] :gray[in another layout]",
        "(2, 3, 7, 7) = (B, h, T_q, T_k) :green-badge[:material/check: = scaled]  \n"
        ":gray[on the way:] :green-badge[:material/check: = scores]",
    ]
    assert code == ["2  w = self.W_Q.weight", "1  q, k, v = project(Q, K, V)", "3  scores = 1  # walks passes"]


def test_the_first_line_that_leaves_is_told_and_marked() -> None:
    """A sentence says up to where all is right, what comes next, and which line leaves; that line has a mark in words."""
    told, code = _panel(_code("walks away", "w = scores", "", "", "", "return w"))
    assert (
        "Up to **scaled** on line 3 everything equals the reference. Next it makes **attn_w**, (2, 3, 7, 7) = (B, h, T_q, T_k). "
        "**Line 4 is the first that leaves it**: its shape is right, its numbers are not."
    ) in told
    assert ":orange-badge[:material/alt_route: leaves the reference here]  \n(2, 3, 7, 7) = (B, h, T_q, T_k)" in told
    assert told[-1] == "(2, 7, 15) = (B, T_q, d_model)"
    assert code[-2:] == ["4  w = scores", "8  return w"]


def test_a_crash_shows_what_the_operation_was_given() -> None:
    """The last line says that it stopped, and the operands."""
    told, _ = _panel(_code("stumbles", "w = q @ scores"))
    assert any(
        one.startswith("It stopped on line 4. Up to **scaled** on line 3 everything equals the reference.")
        for one in told
    )
    assert told[-1] == (
        ":red-badge[:material/cancel: stopped here]  \n"
        "matmul was given (2, 3, 7, 5) = (B, h, T_q, d_k) and (2, 3, 7, 7) = (B, h, T_q, T_k)"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("walks", "In this call the results are those of the reference; what failed shows elsewhere"),
        ("walks unseen", "**Line 4 is the first that leaves the reference.**"),
        ("walks astray", "this call does not tell which line is the first that leaves the reference"),
        ("walks nowhere", "None of these lines gives what a stage of the reference gives"),
    ],
)
def test_nothing_is_claimed_that_the_walk_does_not_tell(words: str, says: str) -> None:
    """The sentence above the lines says what is known: an agreement, a line alone, or that it cannot be told."""
    assert any(says in one for one in _panel(_code(words))[0])


def test_the_line_of_the_reason_is_pointed_out() -> None:
    """Where the diagnosis has a line of the walk, that line says so."""
    badge = ":gray-badge[:material/search: the Verdict gives the reason here]"
    told, _ = _panel(_code("walks away unscaled"))
    assert [one for one in told if badge in one] == [f"{badge}  \n(2, 7, 15) = (B, T_q, d_model)"]
    assert not any(badge in one for one in _panel(_code("walks away"))[0])


def test_what_nothing_uses_is_told_instead_of_ticked() -> None:
    """A right value that is lost has no tick: the line says so, and the sentence above names it; a mask that was given is told, too."""
    told, _ = _panel(_code("walks lost", "scores.masked_fill(~mask, -1e9)"))
    assert "h = 3, d_k = 5 and a mask and memory_2. A tick" in told[0]
    assert told[1] == (
        "Up to **scaled** on line 3 everything equals the reference. Next it makes **masked**, (2, 3, 7, 7) = (B, h, T_q, T_k). "
        "**Line 4 makes it, but nothing uses this result**, so it is lost."
    )
    assert told[-1] == (
        ":orange-badge[:material/alt_route: leaves the reference here]  \n"
        "(2, 3, 7, 7) = (B, h, T_q, T_k) :orange-badge[:material/link_off: = masked, right, but nothing uses this result]"
    )


def test_steps_on_the_way_are_told_only_where_there_are_some() -> None:
    """Where every line has its tick, no line is said to have none."""
    told, _ = _panel(_code("walks whole passes"))
    assert told[1] == "The results are those of the reference."


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("walks single", ":gray[right here, where h = 1; the Verdict tells of other calls]"),
        ("walks elsewhere", ":gray[right in this call; the Verdict tells of other calls]"),
    ],
)
def test_a_tick_does_not_contradict_the_reason(words: str, says: str) -> None:
    """A line that is right in this call, and is the one to change, says what is special about the call."""
    told, _ = _panel(_code(f"{words} unscaled"))
    assert any(
        one.startswith(f":gray-badge[:material/search: the Verdict gives the reason here]  \n{says}") for one in told
    )
    assert not any(says in one for one in _panel(_code("walks away unscaled"))[0])


def test_code_never_acts_and_is_cut() -> None:
    """A line of the learner's is plain text, at most seventy characters of it; one that is not there is left empty."""
    told, code = _panel(f"{NASTY}\nx\n# walks away")
    assert code[1].startswith(f"1  {NASTY[:60]}")
    assert code[1].endswith("…")
    assert len(code[1]) == 73
    assert code[-1] == "8"
    assert all(NASTY[:40] not in one for one in told)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "Press Check: the shapes that your lines make"),
        ("passes", "No shapes were kept with this check."),
        ("misnamed", "it ended before your code made its first tensor."),
        ("broken", "This check did not work, so there are no shapes to show."),
    ],
)
def test_without_a_walk_a_sentence_says_why(source: str, says: str) -> None:
    """Before the first check, for old verdicts, for code that was never called, and for checks that we broke."""
    told, code = _panel(source)
    assert len(told) == 1
    assert says in told[0]
    assert code == []


def test_shapes_of_an_earlier_text_are_told_apart() -> None:
    """When the editor holds another text than the one that was checked, the panel says so, and shows the lines that were checked."""
    source = _code("walks passes")
    assert not any("earlier version" in one for one in _panel(source)[0])
    told, code = _panel(source, f"# new\n{source}")
    assert any("These shapes belong to an earlier version of your code" in one for one in told)
    assert code[0] == "2  w = self.W_Q.weight"
