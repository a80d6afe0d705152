"""Training reaches every matrix and whatever lies before: each weight and each input gets a gradient that is not zero."""

from __future__ import annotations

from collections.abc import Sequence

from checkers._cuts import cuts
from checkers._places import pieces, together
from checkers._source import read
from checkers._tape import ancestors
from checkers.base import About, Call, Finding, Observation, Seen, Tensor

# Behind equal scores a softmax gives a gradient that is zero but for rounding: beside the reference's it is nothing.
NOISE = 1e-5
USES_REFERENCE = True
SWITCHES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Looks at the first call of cases with ``gradients``: d(weighted sum of squares of the first result)/d(weight) for every role, and d(input)."""
    for case, observation in seen.items():
        call, wanted = observation.calls[0], expected[case].calls[0].gradients
        asked = tuple(dict.fromkeys((*about.roles, *call.gradients)))
        missing = [name for name in asked if not _arrives(call.gradients.get(name), wanted.get(name), name)]
        if missing:
            return _missing(observation, about, asked, missing)
        wild = [name for name in asked if not _finite(call, name)]
        if wild:
            return _wild(wild)
    return None


def _missing(observation: Observation, about: About, asked: Sequence[str], missing: Sequence[str]) -> Finding:
    everything = len(missing) == len(asked)
    code, line = _cut(observation, missing) or (
        ("gradient-cut", None) if everything else ("matrix-without-gradient", None)
    )
    if line is None and code == "gradient-cut":
        line = read(about.source, about.entry).line_of(SWITCHES)
    what = f"any of {', '.join(asked)}" if everything and len(asked) > 1 else together(missing)
    own = any(name.removesuffix(".bias") in about.roles for name in missing)
    lost = "what comes that way" if own else "the layers before it"
    step = (
        f"Follow {missing[0]} through {about.called}: is its result used in what you return?"
        if code == "matrix-without-gradient"
        else "Look for torch.no_grad, .detach(), .data, .item() or numpy on the way."
    )
    return Finding(
        code,
        f"No gradient reaches {what}, so training could never improve {lost}.",
        expected=f"a gradient for {'each of ' if len(asked) > 1 else ''}{', '.join(asked)}",
        actual=f"none for {', '.join(missing)}",
        next_step=step,
        line=line,
    )


def _wild(names: Sequence[str]) -> Finding:
    return Finding(
        "gradient-not-finite",
        f"The gradient of {together(names)} contains NaN or infinity, so one training step would spoil the weights.",
        expected="finite numbers",
        actual="NaN or infinity",
        next_step="Look for a root, a logarithm or a division at zero, or an infinity that is multiplied, on the way.",
    )


def _arrives(gradient: Tensor | None, wanted: Tensor | None, name: str) -> bool:
    if gradient is None:
        return False
    # Whatever type a report says it is of: truth values, too.
    size = (gradient * (1 + 0j)).abs()
    # That of a bias may come and be nothing: one that adds the same to every score changes no weight.
    return name.endswith(".bias") or bool((~size.isfinite() | (size > NOISE * _largest(wanted))).any())


def _largest(gradient: Tensor | None) -> float:
    return 0.0 if gradient is None or not gradient.numel() else float(gradient.abs().max())


def _finite(call: Call, name: str) -> bool:
    gradient = call.gradients[name]
    return gradient is None or bool(gradient.isfinite().all())


def _cut(observation: Observation, missing: Sequence[str]) -> tuple[str, int | None] | None:
    """Code and line of the step that cuts the way from what gets no gradient, or None where the tape shows none."""
    tape = observation.tape
    lost = {source for name in missing for source in _sources(observation, name)}
    for number, code, line in cuts(tape):
        if lost & ancestors(tape, number):
            return code, line
    return None


def _sources(observation: Observation, name: str) -> set[str]:
    """How the tape calls what a role's weights, or an input, come from."""
    return {name, *(f"parameter:{piece.parameter.name}" for piece in pieces(observation, name))}
