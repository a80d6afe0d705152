"""A call changes nothing that is not its own: the caller's tensors, the weights, training flags, torch's random numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from checkers._source import RunningCode, read
from checkers._tape import RANDOM, first_line, written_to
from checkers.base import About, Finding, Seen, Step

What = Literal["inputs", "weights", "parameters", "training", "random"]
EVERYTHING: tuple[What, ...] = ("inputs", "weights", "parameters", "training", "random")
RESULTS, WEIGHTS = frozenset({"Parameter"}), frozenset({"register_parameter", "add_module", "Linear", "Parameter"})
SWITCHES, FLAGS = frozenset({".train", ".eval"}), frozenset({"training"})


def check(seen: Seen, expected: Seen, about: About, *, what: Sequence[What] = EVERYTHING) -> Finding | None:
    """Looks at what every call of every case disturbed.

    Args:
        what: which of "inputs", "weights", "parameters" (that none is added), "training" (flags) and "random" to look at.
    """
    disturbed = {name: None for observation in seen.values() for call in observation.calls for name in call.disturbed}
    if not disturbed:
        return None
    tapes = [observation.tape for observation in seen.values()]
    findings = (_finding(kind, list(disturbed), tapes, read(about.source, about.entry)) for kind in what)
    return next((finding for finding in findings if finding is not None), None)


def _finding(
    kind: str, disturbed: Sequence[str], tapes: Sequence[Sequence[Step]], source: RunningCode
) -> Finding | None:
    names = [name.partition(":")[2] for name in disturbed if name.startswith(f"{kind.removesuffix('s')}:")]
    if kind == "inputs" and names:
        return _inputs(names, _first(written_to(tape, frozenset(names)) for tape in tapes))
    if kind == "weights" and names:
        weights = frozenset(f"parameter:{name}" for name in names)
        return _weights(names, _first(written_to(tape, weights) for tape in tapes))
    if kind not in disturbed:
        return None
    if kind == "parameters":
        result = source.line_of(RESULTS, constructor=False)
        return _parameters(result, result or source.line_of(WEIGHTS, constructor=False))
    if kind == "training":
        return _flags(source.line_of(SWITCHES, constructor=False) or source.line_of(FLAGS, constructor=False))
    line = _first(first_line(tape, lambda step: step.name in RANDOM) for tape in tapes)
    return _random(line or source.line_of(RANDOM, constructor=False) or source.line_of(RANDOM))


def _first(lines: Iterable[int | None]) -> int | None:
    return next((line for line in lines if line is not None), None)


def _inputs(names: Sequence[str], line: int | None) -> Finding:
    return Finding(
        "caller-tensor-modified",
        f"After the call {' and '.join(names)} of the caller {'is' if len(names) == 1 else 'are'} not as before: "
        "the call wrote into what it was given.",
        expected="whatever a call is given stays as the caller made it",
        actual=f"{', '.join(names)} changed",
        next_step="Operations whose name ends in _, and +=, *= and x[…] = …, write into the tensor itself. Which one meets an input?",
        line=line,
    )


def _weights(names: Sequence[str], line: int | None) -> Finding:
    return Finding(
        "weights-modified",
        f"forward changed {', '.join(names[:4])}. Weights are what training sets; a forward pass only reads them.",
        expected="the same weights after the call",
        actual=f"{', '.join(names[:4])} changed",
        next_step="Look for an in-place operation on a weight or on its .data; work with a new tensor instead.",
        line=line,
    )


def _parameters(result: int | None, line: int | None) -> Finding:
    return Finding(
        "non-weight-parameter" if result else "parameters-added",
        "After the call the module has other parameters than before: forward registered or replaced one.",
        expected="all parameters are made in __init__",
        actual="the list of parameters changed during forward",
        next_step="A tensor that is only remembered needs no nn.Parameter, and a layer belongs into __init__.",
        line=line,
    )


def _flags(line: int | None) -> Finding:
    return Finding(
        "training-flag-changed",
        "forward switched between training and eval mode; that choice is the caller's.",
        expected="the same mode after the call",
        actual="self.training changed during forward",
        next_step="Look for .train() or .eval() in forward or in what it calls.",
        line=line,
    )


def _random(line: int | None) -> Finding:
    return Finding(
        "random-numbers-used",
        "The call drew from torch's random numbers, so everything random after it comes out differently.",
        expected="nothing random in a call",
        actual="the state of torch's random numbers changed",
        next_step="Look for dropout, rand…, or manual_seed in the code that runs.",
        line=line,
    )
