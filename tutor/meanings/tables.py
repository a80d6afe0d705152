"""Looks an exception up in the tables, and fills in what the sentences leave open."""

from __future__ import annotations

import re

from checkers.base import Fault
from tutor.meanings.argument_errors import ARGUMENTS
from tutor.meanings.axes import Axes
from tutor.meanings.gradient_errors import GRADIENT
from tutor.meanings.operands import begin, given
from tutor.meanings.own_errors import ASSERTED, RAISED
from tutor.meanings.python_errors import PYTHON
from tutor.meanings.rules import Meaning, Rule
from tutor.meanings.source import Source
from tutor.meanings.syntax_errors import SYNTAX
from tutor.meanings.torch_errors import TORCH
from tutor.meanings.type_errors import TYPES

LAYERS = " A layer kept in a plain list or dict is not converted along with the module."
STARTING = " Starting values are set with nn.init."
QUOTE_CHARS = 300
SPOKEN = {
    "builtin_function_or_method": "function", "NoneType": "None value", "torch.FloatTensor": "tensor", "torch.Size": "shape",
    "numpy.ndarray": "numpy array", "ndarray": "numpy array",
}  # fmt: skip
SYNTAX_TYPES = frozenset({"SyntaxError", "IndentationError", "TabError"})


def by_table(fault: Fault, entry: str, source: Source, axes: Axes) -> Meaning | None:
    """What the first rule that fits says, None where there is none."""
    text = f"{fault.type}{_subject(fault, entry)}: {fault.message}"
    tables = (SYNTAX,) if fault.type in SYNTAX_TYPES else (RAISED, TYPES, PYTHON, ARGUMENTS, TORCH, GRADIENT, ASSERTED)
    statement = source.statement(fault.line)
    for rule in (rule for table in tables for rule in table):
        found = re.match(rule.pattern, text, re.DOTALL)
        if found and (not rule.line or re.search(rule.line, statement)):
            return _say(rule, found, fault, source=source, axes=axes, entry=entry)
    return None


def _subject(fault: Fault, entry: str) -> str:
    """Whether our own call failed, or something the submission's own class lacks."""
    if fault.type == "TypeError" and fault.line is None:
        return "@call"
    own = fault.type == "NotImplementedError" and fault.message.startswith(f"Module [{entry}]")
    return "@self" if own else ""


def _say(rule: Rule, found: re.Match[str], fault: Fault, *, source: Source, axes: Axes, entry: str) -> Meaning:
    caught = [(group or "")[:QUOTE_CHARS].rstrip(".? \n") for group in found.groups()]
    groups = [fault.message[:QUOTE_CHARS].rstrip("."), *caught]
    near, silent, shapes = source.near(caught[-1] if caught else ""), source.silent(fault.line), given(fault, axes)
    some = [group for group in caught if group]
    parts = {
        "near": f" (did you mean {near}?)" if near else "",
        "colon": ": " if some else "",
        "char": some[0] if some else "",
        "layer": some[-1] if some else "",
        "types": " and ".join(some),
        "none": f" {silent.name} on line {silent.lineno} has no return." if silent else "",
        "case": f"; the sizes of this case are {axes}" if axes.dims else "",
        "layers": LAYERS if entry[:1].isupper() else "",
        "starting": STARTING if entry[:1].isupper() else "",
        "given": f" {begin(shapes)}." if shapes else "",
    }
    return Meaning(_fill(rule.message, groups, parts), _fill(rule.step, groups, parts))


def _fill(template: str, groups: list[str], parts: dict[str, str]) -> str:
    # Not str.format: what was caught is student text and may itself contain braces.
    def value(place: re.Match[str]) -> str:
        article, name = place[1] or "", place[2]
        text = groups[int(name)] if name.isdigit() else parts[name]
        text = SPOKEN.get(text, text)
        return f"{article.rstrip()}n {text}" if article and text[:1] in "aeiou" else f"{article}{text}"

    return re.sub(r"(\b[Aa] )?\{(\w+)\}", value, template)
