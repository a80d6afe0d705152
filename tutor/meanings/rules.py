"""The form of a rule, and of what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# Kinds of layers, as a pattern: a layer where a tensor belongs is a mistake of its own.
LAYERS = r"(?:Linear|Softmax|Dropout|LayerNorm|ModuleList|ModuleDict|Sequential|Embedding|Identity)"


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
        message: what it means. ``{1}`` … stand for what the pattern caught, ``{0}`` for the whole message, ``{near}`` for a similar
            name in the file, ``{none}`` for a function on the line that returns nothing, ``{case}`` for the sizes of the case, ``{layers}`` and ``{starting}`` for advice that only a class needs, and
            ``{given}`` for the operation with the shapes it was given.
        step: what to do next, with the same places.
        line: where given, must be found in the statement that raised.
    """

    pattern: str
    message: str
    step: str
    line: str = ""
