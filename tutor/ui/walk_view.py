"""The shapes that the learner's own lines made, in one call of the last check, beside the stages of the reference.

Code is shown as plain text; what stands in Markdown is ours, and sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import streamlit as st

from tutor.model import Status, Submission, Verdict
from tutor.ui.desk import Desk, same_text
from tutor.ui.text import escape_markdown, readable
from tutor.walked import Departs, Left, LineMark, Walk, WalkedLine

_CODE_CHARS = 70
_UNCHECKED = "Press Check: the shapes that your lines make are then shown here, line by line."
_OURS = "This check did not work, so there are no shapes to show. Your code is kept; press Check to try again."
_NOT_CALLED = (
    "There are no shapes to show for this check: it ended before your code made its first tensor. "
    "Mend what the Verdict says, and press Check again."
)
_NOT_KEPT = "No shapes were kept with this check. Press Check to see those of your code as it stands."
_TICKS = "A tick names the stage of the reference that has the same numbers."
_AGREES = "The results are those of the reference."
_STEPS = "Lines without a tick are steps on the way."
_AGREES_HERE = "In this call the results are those of the reference; what failed shows elsewhere, as the Verdict tells."
_UNTOLD = (
    "The result is not right, and this call does not tell which line is the first that leaves the reference; "
    "the ticks show what is right."
)
_NONE_THERE = "None of these lines gives what a stage of the reference gives, and the result is not right."


def render_walk(desk: Desk) -> None:
    """Draw the walk of the last check that is done, or say why there is none."""
    shown = desk.last_done
    verdict = shown.verdict if shown else None
    with st.container(key="walk", gap="small"):
        if shown is None or verdict is None:
            st.markdown(_UNCHECKED)
        elif verdict.walk is None:
            st.markdown(_without(verdict))
        else:
            _drawn(verdict.walk, verdict, shown, earlier=not same_text(shown.source, desk.text))


def _without(verdict: Verdict) -> str:
    if verdict.status is Status.BROKEN:
        return _OURS
    return _NOT_KEPT if verdict.status is Status.PASSED else _NOT_CALLED


def _drawn(walk: Walk, verdict: Verdict, shown: Submission, *, earlier: bool) -> None:
    code = shown.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if earlier:
        st.markdown(":orange-badge[:material/history: These shapes belong to an earlier version of your code]")
    st.caption(f"One call of your code, with {_given(walk)}. {_TICKS}")
    st.markdown(_told(walk, verdict.status))
    reason = verdict.diagnosis.line if verdict.diagnosis else None
    with st.container(key="walk-lines", gap=None):
        for number, line in enumerate(walk.lines):
            _line(number, line, code, walk, reason=line.line == reason)
    if walk.unshown:
        st.caption(f"{walk.unshown} more lines are not shown.")


def _given(walk: Walk) -> str:
    """The sizes, and what need not be given but was: ``…, d_k = 5 and a mask``."""
    named = [f"a {name}" if name == "mask" else escape_markdown(name) for name in walk.given]
    return " and ".join([_sizes(walk.sizes), *named])


def _sizes(sizes: Mapping[str, int]) -> str:
    """``B = 2, T_q = T_k = 7, h = 3``: names of one size together, in the order of the first."""
    order = list(dict.fromkeys(sizes.values()))
    by_size = sorted(sizes, key=lambda name: order.index(sizes[name]))
    groups = [(list(names), size) for size, names in groupby(by_size, key=lambda name: sizes[name])]
    return ", ".join(escape_markdown(" = ".join([*names, str(size)])) for names, size in groups)


# --- the sentence above the lines -----------------------------------------------------------------------------------


def _told(walk: Walk, status: Status) -> str:
    """Where the walk leaves the reference, in a few sentences."""
    departing = next((one for one in walk.lines if one.mark is LineMark.DEPARTS), None)
    stopped = next((one for one in walk.lines if one.mark is LineMark.STOPPED), None)
    parts = [f"It stopped on line {stopped.line}."] if stopped else []
    if walk.departs is not None:
        parts += _departure(walk.departs, departing)
    elif departing is not None:
        parts.append(f"**Line {departing.line} is the first that leaves the reference.**")
    elif walk.agrees:
        parts.append(_AGREES if status is Status.PASSED else _AGREES_HERE)
        if status is Status.PASSED and (walk.unshown or any(one.mark is not LineMark.EQUAL for one in walk.lines)):
            parts.append(_STEPS)
    elif any(one.mark is LineMark.EQUAL for one in walk.lines) and stopped is None:
        parts.append(_UNTOLD)
    elif stopped is None:
        parts.append(_NONE_THERE)
    return " ".join(parts)


def _departure(departs: Departs, departing: WalkedLine | None) -> list[str]:
    wanted, told = departs.wanted, []
    if departs.right:
        on_line = f" on line {departs.right_line}" if departs.right_line else ""
        told.append(f"Up to **{escape_markdown(departs.right)}**{on_line} everything equals the reference.")
    name = _names(wanted.stages)
    told.append(f"{'Next it' if departs.right else 'The reference'} makes **{name}**, {_shape(wanted)}.")
    if departing is not None:
        told.append(_leaves(departing, wanted))
    return told


def _leaves(line: WalkedLine, wanted: Left) -> str:
    if any(one.unused and set(wanted.stages) <= set(one.stages) for one in line.left):
        return f"**Line {line.line} makes it, but nothing uses this result**, so it is lost."
    return f"**Line {line.line} is the first that leaves it**: {_instead(line, wanted)}."


def _instead(line: WalkedLine, wanted: Left) -> str:
    made = [one for one in line.left if not one.stages] or list(line.left)
    if any(one.sizes == wanted.sizes for one in made):
        return "its shape is right, its numbers are not"
    return f"it makes {' and '.join(map(_shape, made))}"


# --- the lines ------------------------------------------------------------------------------------------------------


def _line(number: int, line: WalkedLine, code: Sequence[str], walk: Walk, *, reason: bool) -> None:
    text = code[line.line - 1].strip() if line.line <= len(code) else ""
    cut = text if len(text) <= _CODE_CHARS else f"{text[: _CODE_CHARS - 1]}…"
    with st.container(key=f"walk-{line.mark.value}-{number}", gap=None):
        st.text(f"{line.line}  {readable(cut)}")
        st.markdown("  \n".join([*_marks(line.mark, walk.sizes, reason=reason), *_made(line, walk.operation)]))


def _marks(mark: LineMark, sizes: Mapping[str, int], *, reason: bool) -> list[str]:
    badges = {
        LineMark.DEPARTS: ":orange-badge[:material/alt_route: leaves the reference here]",
        LineMark.STOPPED: ":red-badge[:material/cancel: stopped here]",
    }
    told = [badges[mark]] if mark in badges else []
    told += [":gray-badge[:material/search: the Verdict gives the reason here]"] if reason else []
    rows = [" ".join(told)] if told else []
    return [*rows, f":gray[{_right_here(sizes)}]"] if reason and mark is LineMark.EQUAL else rows


def _right_here(sizes: Mapping[str, int]) -> str:
    """Why a line has its ticks although it is the one to change."""
    single = {name: size for name, size in sizes.items() if size == 1}
    here = f"right here, where {_sizes(single)}" if single else "right in this call"
    return f"{here}; the Verdict tells of other calls"


def _made(line: WalkedLine, operation: str) -> list[str]:
    if line.mark is LineMark.STOPPED:
        what = escape_markdown(operation) or "The operation"
        return [f"{what} was given {' and '.join(map(_shape, line.left))}"] if line.left else []
    rows = [
        f"{_shape(one)}{f', {one.times} times' if one.times > 1 else ''} {_equal(one)}".strip() for one in line.left
    ]
    if line.through:
        rows.append(f":gray[on the way:] {_tick(line.through)}")
    return rows


def _equal(left: Left) -> str:
    if not left.stages:
        return ""
    if left.unused:
        return f":orange-badge[:material/link_off: = {_names(left.stages)}, right, but nothing uses this result]"
    return f"{_tick(left.stages)}{' :gray[in another layout]' * left.turned}"


def _tick(stages: Sequence[str]) -> str:
    return f":green-badge[:material/check: = {_names(stages)}]"


def _names(stages: Sequence[str]) -> str:
    return escape_markdown(", ".join(stages))


def _shape(left: Left) -> str:
    """``(2, 5, 12) = (B, T, d_model)``, or the numbers alone where no axis has a name."""
    numbers = _tuple([str(size) for size in left.sizes])
    named = any(not axis.isdigit() for axis in left.axes)
    return escape_markdown(f"{numbers} = {_tuple(left.axes)}" if named else numbers)


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
