"""What is read of a submission's text in the trusted process, where no wall stands between the text and Python's parser."""

from __future__ import annotations

from dataclasses import replace

from checkers._parsing import parse
from checkers.base import Ending, Fault, Seen
from tutor.content import LOAD

TOO_LARGE = "TooLarge"
BROKE_OFF = frozenset({Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.KILLED})


def legible(source: str, seen: Seen) -> str:
    """The text, where Python behind the walls has shown that it can be parsed in little time and memory; else nothing."""
    load = seen.get(LOAD)
    return "" if load is not None and load.ending in BROKE_OFF else source


def as_read(source: str, seen: Seen) -> Seen:
    """What was seen, except that a text which cannot be read here did not load: what it says would be judged unread."""
    load = seen.get(LOAD)
    if load is None or load.ending is not Ending.RETURNED or parse(source) is not None:
        return seen
    fault = Fault(TOO_LARGE, "far more code than any answer has, or an expression nested far more deeply")
    return {LOAD: replace(load, ending=Ending.DID_NOT_LOAD, fault=fault)}
