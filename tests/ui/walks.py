"""Walks that a fake check answers with: a word in the text chooses one, its lines are those of the text."""

from __future__ import annotations

from typing import Any

from tutor.walked import Departs, Left, LineMark, Walk, WalkedLine

SIZES = {"B": 2, "T_q": 7, "T_k": 7, "d_model": 15, "h": 3, "d_k": 5, "T": 7}
HEADS, PAIRS, WIDTH = ("B", "h", "T_q", "d_k"), ("B", "h", "T_q", "T_k"), ("B", "T_q", "d_model")


def _left(axes: tuple[str, ...], *stages: str, times: int = 1, turned: bool = False) -> Left:
    return Left(sizes=tuple(SIZES[axis] for axis in axes), axes=axes, times=times, stages=stages, turned=turned)


_RIGHT = (
    WalkedLine(line=2, mark=LineMark.NEUTRAL, left=(_left(("h", "d_k", "d_model")),)),
    WalkedLine(line=1, mark=LineMark.EQUAL, left=(_left(HEADS, "q_heads"), _left(("B", "T_k", "h", "d_k"), "k_heads", "v_heads", times=2, turned=True))),
    WalkedLine(line=3, mark=LineMark.EQUAL, left=(_left(PAIRS, "scaled"),), through=("scores",)),
)  # fmt: skip
_WRONG = (
    *_RIGHT,
    WalkedLine(line=4, mark=LineMark.DEPARTS, left=(_left(PAIRS),)),
    WalkedLine(line=8, mark=LineMark.AFTER, left=(_left(WIDTH),)),
)
_STOPPED = WalkedLine(line=4, mark=LineMark.STOPPED, left=(_left(HEADS), _left(PAIRS)))
_LOST = (
    *_RIGHT,
    WalkedLine(line=4, mark=LineMark.DEPARTS, left=(_left(PAIRS, "masked").model_copy(update={"unused": True}),)),
)
# One head: a wrong split is right there.
_SINGLE = (WalkedLine(line=8, mark=LineMark.EQUAL, left=(_left(HEADS, "q_heads"),)), _WRONG[-2])


def _walk(lines: tuple[WalkedLine, ...], *, agrees: bool = False, **more: Any) -> Walk:
    return Walk.model_validate({"case": "plain", "sizes": SIZES, "lines": lines, "agrees": agrees, **more})


_DEPARTS = Departs(right="scaled", right_line=3, wanted=_left(PAIRS, "attn_w"))


_NAMED = {
    "walks away": _walk(_WRONG, departs=_DEPARTS),
    "walks lost": _walk(_LOST, departs=Departs(right="scaled", right_line=3, wanted=_left(PAIRS, "masked")), given=("mask", "memory_2")),
    "walks single": _walk(_SINGLE, departs=_DEPARTS, sizes={**SIZES, "h": 1, "d_k": 15}),
    "walks elsewhere": _walk(_SINGLE, departs=_DEPARTS),
    "walks whole": _walk(_RIGHT[1:], agrees=True),
    "stumbles": _walk((*_RIGHT, _STOPPED), departs=_DEPARTS, operation="matmul"),
    "walks unseen": _walk(_WRONG),
    "walks astray": _walk(_RIGHT),
    "walks nowhere": _walk(_RIGHT[:1]),
    "walks": _walk(_RIGHT, agrees=True, unshown=4),
}  # fmt: skip


def walk_of(source: str) -> Walk | None:
    """What the first of these words in a text stands for; None without one."""
    return next((walk for words, walk in _NAMED.items() if words in source), None)
