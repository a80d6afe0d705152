"""A scratch run: the learner's file as the main program, then a few lines of their own, in one text."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from checkers._parsing import parse
from checkers.base import About, Ending, Observation, Stage
from tutor.explain import explain
from tutor.planning import Plan
from tutor.trials import Looked, Stopped

# Nothing is built or called: loading the text is the whole job.
PLAN = Plan(entry={"kind": "main", "name": ""}, roles={}, cases=(), tensors=())
SHOWN = '__import__("sys").displayhook'


def together(source: str, lines: str) -> str:
    """The file with the lines below it; if these end in an expression, its value is shown, as Python shows it at a prompt."""
    return f"{_closed(source)}{_showing(lines)}"


def looked(source: str, lines: str, loaded: Observation, about: About, printed: str) -> Looked:
    """What to tell about a scratch run.

    Args:
        source: the learner's file.
        lines: what was run after it.
        loaded: how running both together went.
        about: the exercise, and both together as a text that can be read.
        printed: what was printed.
    """
    stopped = None
    if loaded.ending is not Ending.RETURNED:
        stopped = why_stopped(replace(loaded, stage=Stage.RUN), about, length=_closed(source).count("\n"))
    return Looked(printed=printed, stopped=stopped)


def why_stopped(observation: Observation, about: About, length: float = math.inf) -> Stopped:
    """Why code did not come to its end.

    Args:
        observation: whose ending is not ``returned``.
        about: the exercise, and the text.
        length: lines of the file; what stands below them is the learner's own.
    """
    told = explain(observation, about)
    line = observation.fault.line if observation.fault and observation.fault.line else told.line
    below = line is not None and line > length
    return Stopped(
        message=told.message,
        next_step=told.next_step,
        line=line - int(length) if line is not None and below else line,
        in_lines=below,
    )


def _closed(source: str) -> str:
    return source if source.endswith("\n") else f"{source}\n"


def _showing(lines: str) -> str:
    tree = parse(lines)
    last = tree.body[-1] if tree is not None and tree.body else None
    if not isinstance(last, ast.Expr) or last.end_lineno is None or last.end_col_offset is None:
        return lines
    rows = lines.encode().split(b"\n")  # columns count bytes
    before = b"\n".join([*rows[: last.lineno - 1], rows[last.lineno - 1][: last.col_offset]])
    after = b"\n".join([rows[last.end_lineno - 1][last.end_col_offset :], *rows[last.end_lineno :]])
    code = ast.get_source_segment(lines, last) or ""
    return f"{before.decode()}{SHOWN}(({code})){after.decode()}"
