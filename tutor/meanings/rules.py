"""The form of a rule, and of what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# Kinds of layers, as a pattern: a layer where a tensor belongs is a mistake of its own.
LAYERS = r"(?:Linear|Softmax|Dropout|LayerNorm|ModuleList|ModuleDict|Sequential|Embedding|Identity)"
LEFT_OUT = "If it is the {optional}, use it only under “if {optional} is not None:”."
FIND_NONE = "Find out which name is None: a function without return, or an argument that was not given.{none}"


class Meaning(NamedTuple):
    """Two plain sentences for the student: what it means, and what to do next."""

    message: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a table; the first rule that fits speaks.

    Args:
        pattern: matched against ``Type: message``. ``Type@call`` means that the tutor's own call of the submission failed, before any
            line of it ran; ``Type@self`` that the object is the submission's own class.
        message: what it means. ``{1}`` … stand for what the pattern caught, ``{0}`` for the whole message, words in braces for what
            ``PLACES`` in ``tutor.meanings.tables`` puts there.
        step: what to do next, with the same places.
        line: where given, must be found in the statement that raised.
    """

    pattern: str
    message: str
    step: str
    line: str = ""
