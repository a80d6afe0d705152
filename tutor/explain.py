"""What an exception of the student's code means here, and what to do next.

Rules are tried in order; the first that fits speaks. Each is a pattern on ``Type: message`` and two sentences, in which
``{1}`` … stand for what the pattern caught. Whatever no rule knows is quoted as it is, with its line.
"""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass

from checkers.base import Ending, Fault, Observation, Stage

QUOTE_CHARS = 300
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


_RULES: tuple[tuple[str, str, str], ...] = (
    (
        r"NotAModule: (.*)",
        "{1} does not inherit from nn.Module, so it has no weights that training could find.",
        "Write class {1}(nn.Module): and call super().__init__() first in __init__.",
    ),
    (
        r"SystemExit: (.*)",
        "The code asked Python to exit, so nothing after that could run.",
        "Remove the call of exit() or sys.exit().",
    ),
    (
        r"IndentationError: (.*)|TabError: (.*)",
        "Python cannot tell which block this line belongs to: {0}.",
        "Line it up with the lines of its block; use four spaces, no tabs.",
    ),
    (
        r"SyntaxError: (.*)",
        "Python cannot read this line: {1}.",
        "Look for a missing bracket, colon or quote, on this line or just before it.",
    ),
    (
        r"AttributeError: cannot assign module before Module.__init__\(\) call",
        "A layer is attached before nn.Module was set up.",
        "Make super().__init__() the first line of __init__.",
    ),
    (
        r"NotImplementedError: Module \[(\w+)\] is missing the required \"forward\" function",
        "{1} has no method called forward.",
        "Check the spelling of forward and that it is indented like __init__, inside the class.",
    ),
    (
        r"NameError: name '(\w+)' is not defined",
        "The name {1} is used but nothing in this file defines it{near}.",
        "Import it, define it before this line, or correct its spelling.",
    ),
    (
        r"AttributeError: '(\w+)' object has no attribute '(\w+)'",
        "{1} has nothing called {2}{near}.",
        "Set self.{2} in __init__, or correct the spelling here.",
    ),
    (
        r"TypeError: .*got an unexpected keyword argument '(\w+)'",
        "The call gives an argument called {1}, which your definition does not take.",
        "Add {1} to the parameters, spelled exactly as in the statement.",
    ),
    (
        r"TypeError: .*takes (\d+) positional arguments? but (\d+) (?:was|were) given",
        "Your definition takes {1} arguments (self counts), but it is called with {2}.",
        "Compare your def line with the signature in the statement.",
    ),
    (
        r"TypeError: .*missing (\d+) required positional arguments?: (.*)",
        "The call did not fill {1} of your parameters: {2}.",
        "Compare your def line with the signature in the statement.",
    ),
    (
        r"RuntimeError: view size is not compatible.*",
        "view was asked of a tensor whose memory is not in the order of its axes, as after transpose.",
        "Put .contiguous() before the view, or use reshape.",
    ),
    (
        r"RuntimeError: shape '(\[.*?\])' is invalid for input of size (\d+)",
        "A view or reshape to {1} does not fit: the tensor holds {2} numbers, and the sizes multiply to something else.",
        "Check which length and which width this tensor really has; keys and values have T_k tokens, not T_q.",
    ),
    (
        r"RuntimeError: mat1 and mat2 shapes cannot be multiplied \((\S+) and (\S+)\)",
        "A matrix product does not fit: {1} times {2}.",
        "The last axis on the left must equal the layer's input width: is the tensor joined to d_model before this line?",
    ),
    (
        r"RuntimeError: Expected size for first two dimensions of batch2 tensor to be: (\[.*?\]) but got: (\[.*?\])",
        "A batched product does not fit: the second tensor should start with {1} but starts with {2}.",
        "Did the keys get their last two axes exchanged?",
    ),
    (
        r"RuntimeError: The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        "Two tensors do not fit together: size {1} against {2} on axis {3}.",
        "Print both shapes before this line. A mask needs an axis of size 1 wherever it should serve all heads or samples.",
    ),
    (
        r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
        "A whole tensor is asked whether it is true.",
        "Ask “if mask is not None” instead of “if mask”.",
    ),
    (
        r"TypeError: (.*only integer tensors.*|.*must be tuple of ints.*|.*'float' object cannot be interpreted as an integer.*)",
        "A size is a number with a fraction.",
        "Use // for whole-number division: d_model // h.",
    ),
    (
        r"(ModuleNotFoundError|ImportError): (.*)",
        "An import does not work here: {2}.",
        "The exercise needs torch and math only; nothing else can be loaded while checking.",
    ),
    (
        r"RecursionError: .*",
        "The code calls itself without end.",
        "Look for a method that calls itself, for example forward calling self(…).",
    ),
    (
        r"PermissionError: .*|BlockingIOError: .*|RuntimeError: can't start new thread",
        "The code tried something the sandbox does not allow: files, network, processes and threads are closed.",
        "The exercise needs none of them; remove that line.",
    ),
)  # fmt: skip


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
    meaning = _missing_entry(fault, entry) or _notebook(fault, source) or _by_rule(fault, place, source)
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
    near = difflib.get_close_matches(entry.lower(), [name.lower() for name in fault.message.split(", ")], 1, 0.7)
    step = "Rename it: the name must match exactly." if near else f"Define {entry} at the top level of the file."
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


def _by_rule(fault: Fault, place: str, source: str) -> Explanation:
    text = f"{fault.type}: {fault.message}"
    for pattern, message, step in _RULES:
        found = re.match(pattern, text, re.DOTALL)
        if found:
            parts = {"near": _near(found.group(found.lastindex or 0), source)}
            groups = [fault.message[:QUOTE_CHARS], *(group or "" for group in found.groups())]
            return Explanation(_fill(message, groups, parts), _fill(step, groups, parts))
    quoted = f"{fault.type}: {fault.message}"[:QUOTE_CHARS] if fault.message else fault.type
    at = f"on line {fault.line} " if fault.line else ""
    return Explanation(
        f"The code stopped {at}{place}: {quoted}", "Run the class on a small random tensor to see it happen."
    )


def _fill(template: str, groups: list[str], parts: dict[str, str]) -> str:
    # Not str.format: what was caught is student text and may itself contain braces.
    return re.sub(r"\{(\w+)\}", lambda m: groups[int(m[1])] if m[1].isdigit() else parts[m[1]], template)


def _near(name: str, source: str) -> str:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {"torch", "math", "nn"}
    lowered = {other.lower(): other for other in sorted(names - {name})}
    close = difflib.get_close_matches(name.lower(), lowered, 1, 0.75)
    return f"; did you mean {lowered[close[0]]}" if close else ""
