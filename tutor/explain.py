"""What an exception of the student's code means here, and what to do next; whatever no rule knows is quoted with its line."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass

from checkers.base import Ending, Fault, Observation, Stage
from tutor.meanings import RULES

QUOTE_CHARS = 300
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
    """Two plain sentences for the student: what it means, what next."""

    message: str
    next_step: str


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
    meaning = _missing_entry(fault, entry) or _notebook(fault, source) or _by_rule(fault, place, source, entry)
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
    names = {name.lower(): name for name in fault.message.split(", ")}
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
    if not text.startswith(("!", "%")):
        return None
    return Explanation(
        f"Line {fault.line} is a notebook command (“{text[:60]}”), not Python.",
        "Remove the line; torch is installed here already.",
    )


def _by_rule(fault: Fault, place: str, source: str, entry: str) -> Explanation:
    text = f"{fault.type}{_subject(fault, entry)}: {fault.message}"
    for pattern, message, step in RULES:
        found = re.match(pattern, text, re.DOTALL)
        if found:
            parts = {"near": _near(found.groups()[-1] or "" if found.groups() else "", source)}
            groups = [fault.message[:QUOTE_CHARS], *(group or "" for group in found.groups())]
            return Explanation(_fill(message, groups, parts), _fill(step, groups, parts))
    quoted = f"{fault.type}: {fault.message}"[:QUOTE_CHARS] if fault.message else fault.type
    at = f"on line {fault.line} " if fault.line else ""
    return Explanation(
        f"The code stopped {at}{place}: {quoted.rstrip('.')}.",
        "Run the class on a small random tensor to see it happen.",
    )


def _subject(fault: Fault, entry: str) -> str:
    if fault.type == "TypeError" and fault.line is None:
        return "@call"
    return "@self" if fault.type == "AttributeError" and fault.message.startswith(f"'{entry}' object") else ""


def _fill(template: str, groups: list[str], parts: dict[str, str]) -> str:
    # Not str.format: what was caught is student text and may itself contain braces.
    return re.sub(r"\{(\w+)\}", lambda m: groups[int(m[1])] if m[1].isdigit() else parts[m[1]], template)


def _near(name: str, source: str) -> str:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | COMMON_NAMES
    lowered = {other.lower(): other for other in sorted(names - {name})}
    close = difflib.get_close_matches(name.lower(), lowered, 1, 0.75)
    return f"; did you mean {lowered[close[0]]}" if close else ""
