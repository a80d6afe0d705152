"""The attention lens: a learner types a sentence, and sees what each head of the code attends to in it, beside the reference's."""

from __future__ import annotations

import streamlit as st

from checkers._places import together
from tutor.content import LensSetup
from tutor.trials import WORD_CHARS, WORDS, Grid, HeadMap, Lens, Maps, Purpose
from tutor.ui.desk import Desk
from tutor.ui.head_maps import apart, in_words, leaks, mask_failed
from tutor.ui.heatmap import heatmap
from tutor.ui.text import escape_markdown
from tutor.ui.trial_view import render_stopped, render_trial

SENTENCE = "the cat saw the other cat"
LONGEST = WORDS * (WORD_CHARS + 1)
BY_HAND = (
    "The weights are made by hand, so that each head has a look that can be foretold. The heads of a model find their own work while they are trained; "
    "what they look for often cannot be read from their maps."
)
FROM_OUTPUT = (
    "Your code returns no weights. The hand-made values copy the place of each word, so what a head gives back is its row of weights: "
    "the maps are read from the output."
)


def render_lens(desk: Desk, setup: LensSetup) -> None:
    """Draw the sentence, the button, and the maps that came of it."""
    key = f"lens-{desk.exercise.slug}"
    known = _asked(desk)
    st.session_state.setdefault(key, " ".join(known.words) if known else SENTENCE)
    with st.container(key="lens"):
        text = st.text_input("A sentence", key=key, max_chars=LONGEST, help="A look at your heads is no attempt.")
        causal = False
        if setup.can_hide:
            _preset(desk, f"{key}-causal", known)
            causal = st.toggle("Hide later words (causal mask)", key=f"{key}-causal")
        pressed = st.button("Show the heads", key=f"{key}-show", icon=":material/grid_on:")
        words = tuple(word[:WORD_CHARS] for word in text.split())
        with st.container(gap=None):
            if pressed:
                _ask(desk, words, causal=causal)
        maps = render_trial(desk, Purpose.LENS, Maps)
        with st.container(key="lens-result", gap="small"):
            if maps is not None:
                _earlier(_asked(desk), words, causal=causal)
                _result(desk, maps, setup, f"{key}-heads")


def _asked(desk: Desk) -> Lens | None:
    """What the newest look was asked for."""
    last = desk.trying.look(Purpose.LENS)
    return last.trial if last is not None and isinstance(last.trial, Lens) else None


def _preset(desk: Desk, key: str, known: Lens | None) -> None:
    """The switch stands as it was asked for last; a verdict in which a check of the mask failed turns it on, once."""
    run, done = desk.trying.look(Purpose.LENS), desk.last_done
    st.session_state.setdefault(key, bool(known and known.causal))
    if done is None or st.session_state.get(f"{key}-after") == done.id:
        return
    st.session_state[f"{key}-after"] = done.id
    if (run is None or run.id < done.id) and done.verdict is not None and mask_failed(desk.exercise, done.verdict):
        st.session_state[key] = True


def _ask(desk: Desk, words: tuple[str, ...], *, causal: bool) -> None:
    if not 2 <= len(words) <= WORDS:
        st.markdown(f":orange[:material/edit:] {_unfit(len(words))}")
        return
    with st.spinner("Looking"):
        desk.trying.ask(desk.text, Lens(words=words, causal=causal))


def _unfit(count: int) -> str:
    """Why a sentence of so many words is not shown, and what to type instead."""
    if not count:
        return f"Type a sentence of 2 to {WORDS} words, such as “{SENTENCE}”, and press the button again."
    return (
        f"A sentence of 2 to {WORDS} words, with blanks between them, can be shown; yours has {count} word{'s' * (count > 1)}. "
        "Change it and press the button again."
    )


def _earlier(asked: Lens | None, words: tuple[str, ...], *, causal: bool) -> None:
    """Say which question the maps answer, where it is no longer the one that stands above them."""
    with st.container(key="lens-earlier", gap=None):
        if asked is None or (asked.words == words and asked.causal == causal):
            return
        told = [f"the sentence “{escape_markdown(' '.join(asked.words))}”"] if asked.words != words else []
        if asked.causal != causal:
            told.append(f"later words {'hidden' if asked.causal else 'not hidden'}")
        st.markdown(
            f":orange-badge[:material/history: Made for an earlier question] Below is what came of {together(told)}. "
            "Press “Show the heads” for the new one."
        )


def _result(desk: Desk, maps: Maps, setup: LensSetup, key: str) -> None:
    if maps.stopped is not None:
        render_stopped(desk, Purpose.LENS, maps.stopped)
        st.caption("These are the maps of a right answer.")
    else:
        _summary(maps, setup)
    numbers = list(range(len(maps.heads)))
    chosen = st.pills(
        "Heads",
        numbers,
        selection_mode="multi",
        default=numbers[:2],
        format_func=lambda number: _name(number, maps.heads[number]),
        key=key,
    )
    st.caption(_legend(maps) if chosen else "Pick a head to see its map.")
    for first in range(0, len(chosen), 2):
        for column, number in zip(st.columns(2, gap="medium"), sorted(chosen)[first : first + 2], strict=False):
            with column:
                _head(number, maps)
    if maps.stopped is None and not setup.maps:
        st.caption(FROM_OUTPUT)
    st.caption(BY_HAND)


def _name(number: int, head: HeadMap) -> str:
    icon = "" if head.mine is None else ":material/check: " if not apart(head) else ":material/close: "
    return f"{icon}{number + 1}: {head.look}"


def _summary(maps: Maps, setup: LensSetup) -> None:
    wrong = [str(number) for number, head in enumerate(maps.heads, start=1) if apart(head)]
    if wrong:
        words = f"Head {wrong[0]} differs" if len(wrong) == 1 else f"Heads {together(wrong)} differ"
        if len(wrong) == len(maps.heads):
            words = f"All {len(wrong)} heads differ"
        st.markdown(f":red[:material/close:] **{words} from the reference.**")
        return
    meant = f", with {'later words' if maps.causal else 'no word'} hidden" if setup.can_hide else ""
    st.markdown(f":green[:material/check:] **All {len(maps.heads)} heads look where they should{meant}.**")
    if maps.mixed_otherwise:
        st.markdown(
            ":orange[:material/error:] The output is another one all the same. The weights are right, so look at what comes behind them: "
            "the values, the joining of the heads, the last matrix."
        )


def _legend(maps: Maps) -> str:
    """How to read the maps."""
    asked = " The columns are your sentence backwards, so that the two can be told apart." if maps.asked else ""
    hidden = " Grey: later words, which are hidden." if maps.causal else ""
    if any(leaks(head, causal=maps.causal) for head in maps.heads):
        hidden += " ✕: a leak, weight on a hidden word."
    return f"Each row is a word that looks, each column a word it may look at; the stronger the colour, the larger the weight.{asked}{hidden}"


def _head(number: int, maps: Maps) -> None:
    head = maps.heads[number]
    with st.container(key=f"head-{number + 1}", gap="xsmall"):
        st.markdown(f"**Head {number + 1}**: {head.look}")
        if head.mine is not None:
            _map(f"Yours: {_judged(head, causal=maps.causal)}", number, head.mine, maps)
        _map("Reference", number, head.wanted, maps)
        if head.mine is not None:
            st.caption(f"Yours looks most at: {_told(head.mine, maps)}")
        if head.mine is None or apart(head):
            st.caption(f"The reference looks most at: {_told(head.wanted, maps)}")


def _told(grid: Grid, maps: Maps) -> str:
    return escape_markdown(in_words(grid, maps.words, maps.asked or maps.words))


def _judged(head: HeadMap, *, causal: bool) -> str:
    wrong, leaking = apart(head), leaks(head, causal=causal)
    if not wrong:
        return "the same"
    leak = f", {leaking} leak{'s' * (leaking == 1)}" if leaking else ""
    return f"{wrong} of {len(head.wanted.values)} cells differ{'s' * (wrong == 1)}{leak}"


def _map(caption: str, number: int, grid: Grid, maps: Maps) -> None:
    whose = caption.split(":", maxsplit=1)[0]
    st.caption(caption)
    st.vega_lite_chart(
        heatmap(grid, maps.words, maps.asked or maps.words, causal=maps.causal),
        key=f"map-{whose.lower()}-{number + 1}",
        # Every button of a chart repeats it, so the weights stand in words below.
        alt=f"{whose}, head {number + 1}",
    )
