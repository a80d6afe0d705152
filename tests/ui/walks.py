"""Walks that a fake check answers with: a word in the text chooses one, its lines are those of the text."""

from __future__ import annotations

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
_DEPARTS = Departs(right="scaled", right_line=3, wanted=_left(PAIRS, "attn_w"))


def walk_of(source: str) -> Walk | None:
    """What the first of these words in a text stands for; None without one."""
    if "walks away" in source:
        return Walk(case="plain", sizes=SIZES, lines=_WRONG, agrees=False, departs=_DEPARTS)
    if "stumbles" in source:
        lines = (*_RIGHT, _STOPPED)
        return Walk(case="plain", sizes=SIZES, lines=lines, agrees=False, departs=_DEPARTS, operation="matmul")
    if "walks unseen" in source:
        return Walk(case="plain", sizes=SIZES, lines=_WRONG, agrees=False)
    if "walks astray" in source:
        return Walk(case="plain", sizes=SIZES, lines=_RIGHT, agrees=False)
    if "walks nowhere" in source:
        return Walk(case="plain", sizes=SIZES, lines=_RIGHT[:1], agrees=False)
    return Walk(case="plain", sizes=SIZES, lines=_RIGHT, agrees=True, unshown=4) if "walks" in source else None
