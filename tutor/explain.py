"""What an exception of the student's code means here, and what to do next; whatever no rule knows is quoted with its line."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass, replace

from checkers.base import Ending, Fault, Observation, Stage
from tutor.meanings import RULES

QUOTE_CHARS = 300
NAME_CHARS, CANDIDATES = 40, 300
NOT_PYTHON = (
    (("!", "%"), "a notebook command", "Remove the line; torch is installed here already."),
    (
        ("```", "~~~"),
        "a code fence from a web page or a chat",
        "Remove the lines with the fence and keep what is between them.",
    ),
    ((">>>", "..."), "the prompt of a Python session", "Remove the prompt at the start of each line."),
)
# Names a file on attention may mean although it never spells them right.
COMMON_NAMES = frozenset({
    "torch", "math", "nn", "bias", "view", "reshape", "transpose", "permute", "contiguous", "softmax", "masked_fill",
    "unflatten", "flatten", "matmul", "sqrt", "shape", "size",
})  # fmt: skip
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


def explain(observation: Observation, entry: str, source: str) -> Explanation:
    """What a case that did not return means.

    Args:
        observation: a case whose ending is not ``returned``.
        entry: the name the exercise asks for.
        source: the submission, for names close to a misspelled one and for lines that are no Python.
    """
    where = {
        Stage.LOAD: "while loading the file",
        Stage.CONSTRUCT: "in __init__",
        Stage.BIND: "while the weights were put in",
    }
    place = where.get(observation.stage, "in forward")
    fault = observation.fault
    if observation.ending is Ending.TIMED_OUT:
        return Explanation(
            f"The code was still running {place} after {observation.seconds:.1f} seconds and was stopped.",
            "Look for a loop that does not end; a right solution takes a few milliseconds.",
        )
    if (
        observation.ending is Ending.OUT_OF_MEMORY
        and observation.stage is Stage.LOAD
        and (fault is None or fault.line is None)
    ):
        return NESTED
    if observation.ending is Ending.OUT_OF_MEMORY:
        return Explanation(
            f"The code asked for more memory than a check may use {place}.",
            "Look for a tensor with a size that is far too large; the exercise needs a few kilobytes.",
        )
    if observation.ending is Ending.KILLED or fault is None:
        how = fault.message if fault else "the process ended"
        return Explanation(
            f"No result arrived: {how}, {place}.",
            "Look for a call that leaves Python, such as os._exit, or that tampers with the machinery around the exercise.",
        )
    if fault.type == "RecursionError" and observation.stage is Stage.LOAD and fault.line is None:
        return NESTED
    meaning = (
        _missing_entry(fault, entry)
        or _notebook(fault, source)
        or _by_class(fault, entry, source)
        or _by_rule(fault, place, source, entry)
    )
    if fault.line is None and meaning.line is None and observation.stage is not Stage.LOAD:
        # Our own call failed at the door: the line to look at is the definition it did not fit.
        meaning = replace(meaning, line=_definition(entry, observation.stage, source))
    trial = observation.stage is Stage.LOAD and fault.type not in NOT_TRIAL_CODE
    return _while_loading(meaning, fault) if trial else meaning


def _while_loading(meaning: Explanation, fault: Fault) -> Explanation:
    line = f"Line {fault.line}" if fault.line else "A line"
    return Explanation(
        f"{line} runs while the file is loaded, before anything can be checked, and stops it. {meaning.message}",
        f'{meaning.next_step} Trial code is welcome as long as it runs; under if __name__ == "__main__": it is left out here.',
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
    if near:
        step = f"Rename {names[near[0]]} to {entry}; the name must match exactly."
    return Explanation(f"The file runs, but there is no {entry} in it. {found}", step)


def _notebook(fault: Fault, source: str) -> Explanation | None:
    lines = source.splitlines()
    if fault.type != "SyntaxError" or fault.line is None or fault.line > len(lines):
        return None
    text = lines[fault.line - 1].strip()
    for marks, what, step in NOT_PYTHON:
        if text.startswith(marks):
            return Explanation(f"Line {fault.line} is {what} (“{text[:60]}”), not Python.", step)
    return None


def _entry_class(entry: str, source: str) -> ast.ClassDef | None:
    return next((node for node in _tree(source).body if isinstance(node, ast.ClassDef) and node.name == entry), None)


def _definition(entry: str, stage: Stage, source: str) -> int | None:
    """The line of the method that is called at this stage, or of the class where there is none."""
    found = _entry_class(entry, source)
    name = "__init__" if stage is Stage.CONSTRUCT else "forward"
    methods = (
        node.lineno for node in (found.body if found else ()) if isinstance(node, ast.FunctionDef) and node.name == name
    )
    return next(methods, found.lineno if found else None)


def _by_class(fault: Fault, entry: str, source: str) -> Explanation | None:
    """Faults in how the class is written show up as odd errors elsewhere; its source tells."""
    if fault.type not in ("AttributeError", "TypeError") and "'self'" not in fault.message:
        return None
    found = _entry_class(entry, source)
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
    alone = found is not None and [ast.unparse(base).split(".")[-1] for base in found.bases] == ["Module"]
    if alone and ".__init__()" in fault.message and "__init__" not in {method.name for method in methods}:
        return Explanation(
            f"{entry} has no __init__ of its own that could take these arguments.",
            "Check the spelling of __init__, with two underscores on each side, and that it is indented inside the class.",
        )
    return None


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def _by_rule(fault: Fault, place: str, source: str, entry: str) -> Explanation:
    text = f"{fault.type}{_subject(fault, entry)}: {fault.message}"
    for pattern, message, step in RULES:
        found = re.match(pattern, text, re.DOTALL)
        if found:
            caught = [(group or "")[:QUOTE_CHARS].rstrip(".?") for group in found.groups()]
            groups = [fault.message[:QUOTE_CHARS], *caught]
            parts = {"near": _near(caught[-1] if caught else "", source), "colon": ": " if caught and caught[0] else ""}
            return Explanation(
                _fill(message, groups, parts), _fill(step, groups, parts) + _reversed_axes(fault, source)
            )
    quoted = f"{fault.type}: {fault.message}"[:QUOTE_CHARS] if fault.message else fault.type
    at = f"on line {fault.line} " if fault.line else ""
    return Explanation(
        f"The code stopped {at}{place}: {quoted.rstrip('.')}.",
        "Run the class on a small random tensor to see it happen.",
    )


def _reversed_axes(fault: Fault, source: str) -> str:
    lines = source.splitlines()
    if fault.type != "RuntimeError" or fault.line is None or fault.line > len(lines):
        return ""
    found = re.search(r"\.T\b", lines[fault.line - 1])
    return " On this line .T reverses all axes; transpose(-2, -1) exchanges the last two." if found else ""


def _subject(fault: Fault, entry: str) -> str:
    if fault.type == "TypeError" and fault.line is None:
        return "@call"
    return "@self" if fault.type == "AttributeError" and fault.message.startswith(f"'{entry}' object") else ""


def _fill(template: str, groups: list[str], parts: dict[str, str]) -> str:
    # Not str.format: what was caught is student text and may itself contain braces.
    return re.sub(r"\{(\w+)\}", lambda m: groups[int(m[1])] if m[1].isdigit() else parts[m[1]], template)


def _near(name: str, source: str) -> str:
    """A name of the file that is spelled much like this one; bounded, since both are the student's to choose."""
    if not 0 < len(name) <= NAME_CHARS:
        return ""
    tree = _tree(source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | COMMON_NAMES
    alike = sorted(other for other in names - {name} if abs(len(other) - len(name)) <= 2)[:CANDIDATES]
    lowered = {other.lower(): other for other in alike}
    close = difflib.get_close_matches(name.lower(), lowered, 1, 0.75)
    return f" (did you mean {lowered[close[0]]}?)" if close else ""
