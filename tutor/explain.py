"""What an exception of the student's code means here, and what to do next; whatever no rule knows is quoted with its line."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass, replace

from checkers._nodes import name_of
from checkers.base import About, Ending, Fault, Observation, Stage
from tutor.legible import TOO_LARGE
from tutor.meanings.axes import Axes
from tutor.meanings.fitting import fit
from tutor.meanings.names import unknown
from tutor.meanings.products import product
from tutor.meanings.reshaping import reshaped
from tutor.meanings.rules import Meaning
from tutor.meanings.tables import by_table
from tutor.meanings.text import NAME_CHARS, Text

INSTALLED = "Remove the line; torch is installed here already."
NOT_PYTHON = (
    (("!", "%"), "a notebook command", INSTALLED),
    (("$ ", "pip ", "pip3 ", "conda "), "a command for a terminal", INSTALLED),
    (("In [", "Out["), "the prompt of a notebook", "Remove the prompt, and the lines that are output."),
    (
        ("```", "~~~"),
        "a code fence from a web page or a chat",
        "Remove the lines with the fence and keep what is between them.",
    ),
    ((">>>", "..."), "the prompt of a Python session", "Remove the prompt at the start of each line."),
)
LOADING = "while loading the file"
NOT_TRIAL_CODE = frozenset(
    {"SyntaxError", "IndentationError", "TabError", "MissingEntry", "ImportError", "ModuleNotFoundError"}
)
NOT_YOURS = (
    "The checker could not finish. This is our fault, not yours, and the attempt does not count; please check again."
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Two plain sentences for the student, what it means and what next; and the line, where the exception has none."""

    message: str
    next_step: str
    line: int | None = None


NESTED = Explanation(
    "Python cannot read the file: an expression in it is nested too deeply or far too long.",
    "Break the longest expression into several lines with names of their own.",
)

UNREAD = Explanation(
    "The checker cannot read the file: it holds far more code than any answer has, or an expression nested far more deeply.",
    "Hand in the class alone, without long lists of numbers, and break the longest expression into several lines.",
)


def explain(observation: Observation, about: About) -> Explanation:
    """What a case that did not return means.

    Args:
        observation: a case whose ending is not ``returned``.
        about: the exercise and the submission, for the names it may have meant and the sizes of the case.
    """
    text, fault = Text(about.source, about.entry, function=about.kind == "function"), observation.fault
    place = _place(observation.stage, about)
    ended = _without_exception(observation, place)
    if ended is not None or fault is None:
        return ended or NESTED
    if observation.stage is Stage.LOAD and fault.line is None and fault.type in (TOO_LARGE, "RecursionError"):
        return UNREAD if fault.type == TOO_LARGE else NESTED
    meaning = _missing_entry(fault, about.entry) or _notebook(fault, text) or _by_class(fault, text)
    if meaning is None:
        message, next_step = _by_reading(fault, text, _axes(observation, about)) or _quoted(fault, place, text)
        meaning = Explanation(message, next_step)
    if fault.line is None and meaning.line is None and observation.stage is not Stage.LOAD:
        # Our own call failed at the door: the line to look at is the definition it did not fit.
        method = "__init__" if observation.stage is Stage.CONSTRUCT else "forward"
        meaning = replace(meaning, line=text.definition(method))
    trial = observation.stage is Stage.LOAD and fault.type not in NOT_TRIAL_CODE
    return _while_loading(meaning, fault, text) if trial else meaning


def _axes(observation: Observation, about: About) -> Axes:
    """The sizes of the call that ended the case, the one after those that returned; loading the file has none."""
    known = observation.case in about.dims
    return Axes(about.dims_of(observation.case, len(observation.calls)) if known else {})


def _place(stage: Stage, about: About) -> str:
    where = {
        Stage.LOAD: LOADING,
        Stage.CONSTRUCT: "in __init__",
        Stage.BIND: "while the weights were put in",
        Stage.RUN: "while it ran",
    }
    return where.get(stage, f"in {about.called}")


def _without_exception(observation: Observation, place: str) -> Explanation | None:
    """Endings that are not an exception of the code: stopped, out of memory, gone."""
    fault = observation.fault
    if observation.ending is Ending.TIMED_OUT:
        return Explanation(
            f"The code was still running {place} after {observation.seconds:.1f} seconds and was stopped.",
            "Look for a loop that does not end; a right solution takes a few milliseconds.",
        )
    if observation.ending is Ending.OUT_OF_MEMORY:
        if observation.stage is Stage.LOAD and (fault is None or fault.line is None):
            return NESTED
        return Explanation(
            f"The code asked for more memory than a check may use{observation.limit and f', {observation.limit},'} {place}.",
            "Look for a tensor with a size that is far too large; the exercise needs a few kilobytes.",
        )
    if observation.ending is Ending.KILLED or fault is None:
        how = fault.message if fault else "the process ended"
        return Explanation(
            f"No result arrived: {how}, {place}.",
            "Look for a call that leaves Python, such as os._exit, or that tampers with the machinery around the exercise.",
        )
    return None


def _while_loading(meaning: Explanation, fault: Fault, text: Text) -> Explanation:
    line = f"Line {fault.line}" if fault.line else "A line"
    step = meaning.next_step
    if not text.defines(fault.line):
        step += ' Trial code is welcome as long as it runs; under if __name__ == "__main__": it is left out here.'
    return Explanation(
        f"{line} runs while the file is loaded, before anything can be checked, and stops it. {meaning.message}", step
    )


def _missing_entry(fault: Fault, entry: str) -> Explanation | None:
    if fault.type != "MissingEntry":
        return None
    found = f"It defines {fault.message}." if fault.message else "It defines nothing of that kind."
    if fault.message.startswith(f"{entry} ("):
        kind = fault.message[len(entry) + 2 :].split(")")[0]
        return Explanation(f"{entry} is there, but it is {kind}.", f"Define {entry} in the way the statement shows.")
    names = {name.lower(): name for name in fault.message.split(", ")[:50] if len(name) <= NAME_CHARS}
    near = difflib.get_close_matches(entry.lower(), names, 1, 0.7)
    step = f"Define {entry} at the top level of the file."
    if fault.message.isidentifier():
        step = f"If {fault.message} is meant to be it, rename it to {entry}."
    if near:
        step = f"Rename {names[near[0]]} to {entry}; the name must match exactly."
    return Explanation(f"The file runs, but there is no {entry} in it. {found}", step)


def _notebook(fault: Fault, text: Text) -> Explanation | None:
    line = text.line(fault.line).strip()
    if fault.type != "SyntaxError" or not line:
        return None
    for marks, what, step in NOT_PYTHON:
        if line.startswith(marks):
            return Explanation(f"Line {fault.line} is {what} (“{line[:60]}”), not Python.", step)
    return None


def _by_class(fault: Fault, text: Text) -> Explanation | None:
    """Faults in how the class is written show up as odd errors elsewhere; its source tells."""
    if fault.type not in ("AttributeError", "TypeError") and "'self'" not in fault.message:
        return None
    found = text.entry_class
    methods = [node for node in found.body if isinstance(node, ast.FunctionDef)] if found else []
    for method in methods:
        first = next((argument.arg for argument in (*method.args.posonlyargs, *method.args.args)), "")
        if method.name in ("__init__", "forward") and first != "self" and not method.decorator_list:
            return Explanation(
                f"{method.name} on line {method.lineno} does not start with self, so Python puts the module itself into "
                f"{first or 'nothing'}.",
                f"Write def {method.name}(self, …).",
                method.lineno,
            )
    alone = found is not None and [name_of(base) for base in found.bases] == ["Module"]
    if alone and ".__init__()" in fault.message and "__init__" not in {method.name for method in methods}:
        return Explanation(
            f"{text.entry} has no __init__ of its own that could take these arguments.",
            "Check the spelling of __init__, with two underscores on each side, and that it is indented inside the class.",
        )
    return None


def _by_reading(fault: Fault, text: Text, axes: Axes) -> Meaning | None:
    """What names and shapes tell, and else the tables."""
    shapes = product(fault, axes, text) or fit(fault, axes, text) or reshaped(fault, axes, text)
    meaning = unknown(fault, text, axes.dims) or shapes or by_table(fault, text, axes)
    turned = len(fault.shapes) > 1 and len(fault.shapes[1]) > 2 and re.search(r"\.T\b", text.statement(fault.line))
    if meaning and fault.type == "RuntimeError" and turned:
        return meaning._replace(
            next_step="On this line .T reverses all axes; transpose(-2, -1) exchanges the last two."
        )
    return meaning


def _quoted(fault: Fault, place: str, text: Text) -> Meaning:
    quoted = f"{fault.type}: {fault.message}"[:300] if fault.message else fault.type
    if place == LOADING:
        return Meaning(f"It ends in {quoted.rstrip('.')}.", "Run the file by itself to see it happen.")
    at = f"on line {fault.line} " if fault.line else ""
    what = f"Call {text.entry}" if text.function else "Run the class"
    return Meaning(
        f"The code stopped {at}{place}: {quoted.rstrip('.')}.", f"{what} on small random tensors to see it happen."
    )
