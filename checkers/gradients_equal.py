"""The numbers may be right and their gradients wrong: then training goes another way."""

from __future__ import annotations

from checkers._cuts import cuts
from checkers._places import together
from checkers._shapes import plain
from checkers._tape import ancestors
from checkers.base import About, Finding, Observation, Seen, Tensor

USES_REFERENCE = True
# Of the largest number of the same gradient. Right variants in float32 stay below 2e-6.
TOLERANCE = 1e-3
# The reference computes in float64.
NOTHING = 1e-12


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Looks at the first call of cases with ``gradients``: d(weighted sum of squares of the first result) by every role and input, in their shape."""
    for case, observation in seen.items():
        mine = observation.calls[0].gradients
        wanted = {name: one for name, one in expected[case].calls[0].gradients.items() if one is not None}
        most = max((float(one.abs().max()) for one in wanted.values()), default=0.0)
        wrong = {name: one for name, one in wanted.items() if name in mine and not _agree(mine[name], one, most)}
        if wrong:
            return _finding(observation, wrong)
    return None


def _agree(mine: Tensor | None, wanted: Tensor, most: float) -> bool:
    """Whether they are equal, up to a share of the largest number; ``most`` is that of all gradients."""
    largest = float(wanted.abs().max())
    # What is only the rounding of a sum that vanishes is held against the others.
    scale = most if largest <= NOTHING * most else largest
    return bool((_distance(mine, wanted) <= TOLERANCE * scale).all())


def _distance(mine: Tensor | None, wanted: Tensor) -> Tensor:
    """Entry by entry; NaN where one cannot be held against the other. Where no gradient arrives, training sees zeros."""
    if mine is None:
        return wanted.abs()
    return (mine.double() - wanted).abs() if _comparable(mine, wanted) else wanted * float("nan")


def _comparable(mine: Tensor, wanted: Tensor) -> bool:
    return not mine.is_complex() and tuple(mine.shape) == tuple(wanted.shape)


def _finding(observation: Observation, wrong: dict[str, Tensor]) -> Finding:
    gradients = observation.calls[0].gradients
    gone = [name for name, wanted in wrong.items() if _vanishes(gradients[name], wanted)]
    name = (gone or list(wrong))[0]
    mine, wanted = gradients[name], wrong[name]
    flat = int(_distance(mine, wanted).flatten().argmax())
    return Finding(
        "gradient-cut" if gone else "gradient-differs",
        f"The numbers are right, but {_what(gone, list(wrong))}.",
        expected=f"{float(wanted.flatten()[flat]):.4g} where the gradient of {name} differs most",
        actual=_actual(mine, wanted, flat),
        next_step="Something changes the gradient on its way back: look for .detach(), .data, torch.no_grad, a hook or a "
        "backward of your own.",
        line=_cut(observation) if gone else None,
    )


def _actual(mine: Tensor | None, wanted: Tensor, flat: int) -> str:
    if mine is None:
        return "no gradient"
    if not _comparable(mine, wanted):
        return f"{str(mine.dtype).removeprefix('torch.')} numbers of shape {plain(tuple(mine.shape))}"
    return f"{float(mine.flatten()[flat]):.4g}"


def _cut(observation: Observation) -> int | None:
    """The line of the first cut on the way to the last operation."""
    tape = observation.tape
    way = ancestors(tape, len(tape) - 1) if tape else set()
    return next((line for number, _, line in cuts(tape) if number in way and line is not None), None)


def _vanishes(mine: Tensor | None, wanted: Tensor) -> bool:
    """Whether nothing at all arrives at a place where something should."""
    if mine is None or not _comparable(mine, wanted):
        return mine is None
    return bool(((mine == 0) & (wanted.abs() > TOLERANCE * wanted.abs().max())).any())


def _what(gone: list[str], wrong: list[str]) -> str:
    if gone:
        return f"part of the gradient of {together(gone)} never arrives, so what comes that way could not learn"
    return f"the gradient of {together(wrong)} is not, so training would go another way"
