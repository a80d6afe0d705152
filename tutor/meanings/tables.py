"""Looks an exception up in the tables, and fills in what the sentences leave open."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from checkers.base import Fault
from tutor.meanings.argument_errors import ARGUMENTS
from tutor.meanings.axes import Axes
from tutor.meanings.gradient_errors import GRADIENT
from tutor.meanings.mask_errors import MASKS
from tutor.meanings.module_errors import MODULES
from tutor.meanings.operands import begin, given
from tutor.meanings.own_errors import ASSERTED, RAISED
from tutor.meanings.python_errors import PYTHON
from tutor.meanings.rules import Meaning, Rule
from tutor.meanings.syntax_errors import SYNTAX
from tutor.meanings.text import TORCH_NAMES, Text
from tutor.meanings.torch_errors import TORCH
from tutor.meanings.type_errors import TYPES
from tutor.meanings.value_errors import VALUES

PLACE = r"(\b[Aa] )?\{(\w+)\}"
QUOTE_CHARS = 300
SPOKEN = {
    "builtin_function_or_method": "function", "NoneType": "None value", "torch.FloatTensor": "tensor", "torch.Size": "shape",
    "numpy.ndarray": "numpy array", "ndarray": "numpy array",
}  # fmt: skip
SYNTAX_TYPES = frozenset({"SyntaxError", "IndentationError", "TabError"})
TABLES = (RAISED, MODULES, TYPES, VALUES, PYTHON, ARGUMENTS, MASKS, TORCH, GRADIENT, ASSERTED)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a rule's sentences may speak of: what its pattern caught, and where."""

    caught: tuple[str, ...]
    fault: Fault
    text: Text
    axes: Axes

    @property
    def some(self) -> list[str]:
        """What was caught by whichever of several alternatives fitted."""
        return [group for group in self.caught if group]


def _near(said: _Said) -> str:
    # Of one or two letters, every other name of a file is a near one.
    word = said.caught[-1] if said.caught and len(said.caught[-1]) > 2 else ""
    near = said.text.near(word) or said.text.near(word, TORCH_NAMES)
    return f" (did you mean {near}?)" if near else ""


def _none(said: _Said) -> str:
    silent = said.text.silent(said.fault.line)
    return f" {silent.name} on line {silent.lineno} has no return." if silent else ""


def _given(said: _Said) -> str:
    shapes = given(said.fault, said.axes)
    return f" {begin(shapes)}." if shapes else ""


# The places a sentence may leave open, beside {0} for the whole message and {1} … for what the pattern caught.
PLACES: Mapping[str, Callable[[_Said], str]] = {
    "near": _near,  # a name of the file like the one caught last
    "none": _none,  # a function on the line that returns nothing
    "optional": lambda said: said.text.optional(said.fault.line),  # a parameter that may be left out
    "given": _given,  # the operation, with the shapes it was given
    "case": lambda said: f"; the sizes of this case are {said.axes}" if said.axes.dims else "",
    "colon": lambda said: ": " if said.some else "",
    "first": lambda said: said.some[0] if said.some else "",
    "last": lambda said: said.some[-1] if said.some else "",
    "all": lambda said: " and ".join(group.removeprefix("c10::") for group in said.some),
    # Advice that a function has no use for.
    "layers": lambda said: _of_a_class(" A layer kept in a plain list or dict is not converted along with the module.", said),
    "starting": lambda said: _of_a_class(" Starting values are set with nn.init.", said),
}  # fmt: skip


def _of_a_class(advice: str, said: _Said) -> str:
    return "" if said.text.function else advice


def by_table(fault: Fault, text: Text, axes: Axes) -> Meaning | None:
    """What the first rule that fits says, None where there is none."""
    error = f"{fault.type}{_subject(fault, text.entry)}: {fault.message}"
    tables = (SYNTAX,) if fault.type in SYNTAX_TYPES else TABLES
    statement = text.statement(fault.line)
    for rule in (rule for table in tables for rule in table):
        found = re.match(rule.pattern, error, re.DOTALL)
        if found and (not rule.line or re.search(rule.line, statement)):
            return _say(rule, found, fault, text, axes)
    return None


def _subject(fault: Fault, entry: str) -> str:
    """Whether our own call failed, or something the submission's own class lacks."""
    if fault.type == "TypeError" and fault.line is None:
        return "@call"
    own = fault.type == "NotImplementedError" and fault.message.startswith(f"Module [{entry}]")
    return "@self" if own else ""


def _say(rule: Rule, found: re.Match[str], fault: Fault, text: Text, axes: Axes) -> Meaning:
    caught = tuple(" ".join((group or "")[:QUOTE_CHARS].split()).rstrip(".? ") for group in found.groups())
    said = _Said(caught, fault, text, axes)
    return Meaning(_fill(rule.message, said), _fill(rule.step, said))


def _fill(template: str, said: _Said) -> str:
    groups = (said.fault.message[:QUOTE_CHARS].rstrip("."), *said.caught)

    # Not str.format: what was caught is student text and may itself contain braces.
    def value(place: re.Match[str]) -> str:
        article, name = place[1] or "", place[2]
        word = groups[int(name)] if name.isdigit() else PLACES[name](said)
        word = SPOKEN.get(word, word)
        return f"{article.rstrip()}n {word}" if article and word[:1] in "aeiou" else f"{article}{word}"

    return re.sub(PLACE, value, template)
