"""The module has exactly so many learnable numbers, in every case."""

from __future__ import annotations

from checkers._shapes import evaluate, given
from checkers.base import About, Finding, Observation, Seen


def check(seen: Seen, expected: Seen, about: About, *, count: str) -> Finding | None:
    """Compares the number of distinct parameters with a formula.

    Args:
        count: formula over the dimensions of the case, for example ``"4*d_model**2"``.
    """
    for case, observation in seen.items():
        dims = about.dims[case]
        wanted, got = evaluate(count, dims), _count(observation)
        if wanted != got:
            return Finding(
                "parameter-count",
                f"With {given(about.built_with(case))} the module has {got:,} parameters; {_difference(got - wanted)}.",
                expected=f"{wanted:,}{_worked_out(count)}",
                actual=f"{got:,}",
                next_step=_next(observation, about),
            )
    return None


def _count(observation: Observation) -> int:
    return sum(parameter.numel for parameter in observation.parameters if parameter.same_as is None)


def _difference(surplus: int) -> str:
    return f"{abs(surplus):,} too {'many' if surplus > 0 else 'few'}"


def _worked_out(count: str) -> str:
    """How the number comes about; nothing where it is written as a number."""
    return (
        ""
        if count.isdigit()
        else f" = {count.replace('**2', '²').replace('*', '·').replace(' + ', '+').replace('+', ' + ')}"
    )


def _next(observation: Observation, about: About) -> str:
    if observation.unclaimed:
        return f"{'Beside the matrices there' if about.roles else 'There'} are: {', '.join(observation.unclaimed[:6])}. Which of them should be there?"
    return "Print each name and shape from named_parameters() and add them up."
