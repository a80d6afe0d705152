"""In training mode the attention weights are dropped as the constructor's argument says, and nothing else is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from checkers._dropping import AXES, EXACT, Used, neighbours, surprise, used
from checkers._shapes import result_of
from checkers._source import read
from checkers._tape import DRAWN, RANDOM
from checkers.base import About, Finding, Seen, Tensor

USES_REFERENCE = True
# A right answer drops another share than asked for, or the same weights twice, less often than this.
CHANCE = 1e-13
# What is said of a wrong one only has to be likely.
LIKELY = 1e-4


def check(
    seen: Seen, expected: Seen, about: About, *, rate: str, weights: str, values: str, layer: str
) -> Finding | None:
    """Looks at the calls in training mode, made with ``dtype = "float64"`` and the same inputs each time.

    Args:
        rate: the argument of the constructor that says how many weights are dropped.
        weights: the reference's stage of the attention weights, (B, h, n, n).
        values: its stage of the values in heads, (B, h, n, d_k); h·n is less than the width of the result.
        layer: the output layer, with a bias.
    """
    (name, *_), line = about.returns, _line(about)
    for case, observation in seen.items():
        share = float(about.arguments[case][rate])
        calls = []
        for number, (mine, reference) in enumerate(zip(observation.calls, expected[case].calls, strict=True)):
            if not reference.inside:
                continue
            result = result_of(mine, name, about, about.dims_of(case, number))
            if isinstance(result, Finding):
                return result
            if not result.isfinite().all():
                return _not_finite(name, line)
            calls.append(used(result, reference.inside, weights=weights, values=values, layer=layer))
        if not calls:
            raise ValueError("no call of a module with arguments is made in training mode")
        finding = _judged(calls, share, f"{rate} = {share:g}", line)
        if finding is not None:
            return finding
    return None


def _line(about: About) -> int | None:
    source = read(about.source, about.entry)
    return source.line_of(DRAWN) or source.line_of(RANDOM)


def _judged(calls: Sequence[Used], share: float, given: str, line: int | None) -> Finding | None:
    # Without dropout there is nothing to tell apart.
    if any(bool((one.kept(1.0) == one.allowed).all()) for one in calls if one.mixes):
        return _nothing(given)
    if not all(one.mixes for one in calls):
        return _elsewhere(calls, share, given, line)
    return _unlike(calls, share, given, line) or _share(calls, share, given, line) or _shared(calls, given, line)


def _not_finite(name: str, line: int | None) -> Finding:
    return Finding(
        "training-not-finite",
        f"In training mode {name} contains NaN or infinity.",
        expected="finite numbers",
        actual="NaN or infinity",
        next_step="Does a dropout meet the scores after the mask has filled them with minus infinity? Let it meet the finished weights.",
        line=line,
    )


def _nothing(given: str) -> Finding:
    return Finding(
        "dropout-argument-ignored",
        f"With {given} a call in training mode gave the same numbers as without dropout: no attention weight was dropped.",
        expected="in training mode some of the weights are 0",
        actual="all weights are there",
        next_step="Follow the argument dropout from __init__ to the line behind the softmax. Where does it end?",
    )


def _elsewhere(calls: Sequence[Used], share: float, given: str, line: int | None) -> Finding:
    """The result is no mixture of the values, whatever the weights."""
    if any(_some(one.result == 0) for one in calls):
        what = "the output itself has zeros in it"
    elif all(_last_is_thinned(one, share) for one in calls):
        what = "what goes into the output layer has zeros in it"
    else:
        what = "the result is no weighted sum of the values"
    return Finding(
        "dropout-elsewhere",
        f"With {given}, in training mode, something else than the attention weights was dropped: {what}.",
        expected="only attention weights are dropped",
        actual=what,
        next_step="Which tensor goes through your dropout? In this layer it is the result of the softmax, and nothing before or behind it.",
        line=line,
    )


def _last_is_thinned(one: Used, share: float) -> bool:
    """Whether what the last query found has zeros in it. An earlier one has fewer values that could all be 0 at one place."""
    return bool((one.joined[:, -1].abs() <= EXACT).double().mean() > share / 2)


def _some(zero: Tensor) -> bool:
    """Whether there are zeros in rows that are not all zeros, as they are where every weight of a query is dropped."""
    return bool((zero.any(-1) & ~zero.all(-1)).any())


def _unlike(calls: Sequence[Used], share: float, given: str, line: int | None) -> Finding | None:
    """A weight is neither 0 nor 1/(1 - p) times what it was."""
    factor = 1 / (1 - share)
    wrong = [one for one in calls if bool((~(one.dropped | one.kept(factor)) & one.allowed).any()) or _leaks(one)]
    if not wrong:
        return None
    largest = _common_factor(wrong)
    if largest is not None and not any(_leaks(one) for one in wrong):
        return _other_factor(largest, share, given, line)
    if all(_rows_are_one(one.weights) for one in wrong):
        return Finding(
            "dropout-before-softmax",
            f"With {given}, in training mode, the weights that were used differ from those without dropout, but their rows still sum to 1: "
            "what was dropped was shared out among the others.",
            expected=f"each weight is 0 or 1/(1 - {share:g}) times as large as without dropout",
            actual="rows that sum to 1",
            next_step="Let the dropout come behind the softmax, and leave its result as it is.",
            line=line,
        )
    return _odd(wrong[0], factor, given, line)


def _leaks(one: Used) -> bool:
    return bool((one.weights[~one.allowed].abs() > EXACT).any())


def _rows_are_one(weights: Tensor) -> bool:
    """Every row sums to 1, unless all of it was dropped."""
    return bool((((weights.sum(-1) - 1).abs() <= EXACT) | (weights.abs() <= EXACT).all(-1)).all())


def _common_factor(calls: Sequence[Used]) -> float | None:
    """What all weights that are there were multiplied by, if it is one number."""
    one = calls[0]
    there = one.allowed & ~one.dropped
    factor = float((one.weights[there] / one.plain[there]).median())
    same = all(bool(((other.dropped | other.kept(factor)) == other.allowed).all()) for other in calls)
    return factor if same else None


def _other_factor(factor: float, share: float, given: str, line: int | None) -> Finding:
    wanted = 1 / (1 - share)
    code, rate = "dropout-argument-ignored", 1 - 1 / factor
    message, step = (
        f"as a dropout of {rate:.3g} does it",
        "Which number does your dropout get: the argument, or one that is written in the code?",
    )
    if factor < 1 + EXACT**0.5:
        code = code if factor < 1 - EXACT**0.5 else "dropout-not-scaled"
        message = "so the weighted sums become smaller in training"
        step = (
            "What is kept has to make up for what is dropped, so that a sum is on average what it is without dropout."
        )
    elif abs(rate - (1 - share)) < EXACT**0.5:
        code = "dropout-rate-turned"
        step = "Does your dropout expect the share that is dropped or the share that is kept? nn.Dropout expects the first."
    return Finding(
        code,
        f"With {given}, in training mode, the weights that are kept are {factor:.4g} times as large as without dropout, {message}.",
        expected=f"{wanted:.4g} = 1/(1 - {share:g}) times as large",
        actual=f"{factor:.4g} times as large",
        next_step=step,
        line=line,
    )


def _odd(one: Used, factor: float, given: str, line: int | None) -> Finding:
    wrong = ~(one.dropped | one.kept(factor) | (~one.allowed & (one.weights.abs() <= EXACT)))
    place = wrong.nonzero()[0].tolist()
    got, plain = (float(tensor[tuple(place)]) for tensor in (one.weights, one.plain))
    where = ", ".join(f"{axis} {index}" for axis, index in zip(AXES, place, strict=True))
    return Finding(
        "dropout-odd-weight",
        f"With {given}, in training mode, the weight of {where} is {got:.4g} (counted from 0); without dropout it is {plain:.4g}.",
        expected=f"0 or {factor * plain:.4g}" if plain else "0, since the query may not look at this key",
        actual=f"{got:.4g}",
        next_step="Dropout sets some of the finished weights to 0 and multiplies the others by 1/(1 - p); nothing else differs in training.",
        line=line,
    )


def _share(calls: Sequence[Used], share: float, given: str, line: int | None) -> Finding | None:
    """Of the weights that could be dropped, a share was that chance does not explain."""
    count, gone = (
        sum(int(tensor.sum()) for tensor in some)
        for some in zip(*((one.allowed, one.dropped) for one in calls), strict=True)
    )
    if count * surprise(gone / count, share) < -math.log(CHANCE):
        return None
    turned = count * surprise(gone / count, 1 - share) < -math.log(LIKELY)
    return Finding(
        "dropout-rate-turned" if turned else "dropout-share",
        f"With {given}, in training mode, {gone} of {count} attention weights were dropped.",
        expected=f"about {share * count:.0f}",
        actual=f"{gone}",
        next_step="Which of the random numbers keep a weight: those below p, or those above? The argument is the share that is dropped."
        if turned
        else "Is every weight dropped with the probability that the argument says?",
        line=line,
    )


def _shared(calls: Sequence[Used], given: str, line: int | None) -> Finding | None:
    """Weights that are dropped together always."""
    for what, pairs in neighbours(calls):
        if all(bool(((one == other) | ~both).all()) for one, other, both in pairs):
            return Finding(
                "dropout-mask-shared",
                f"With {given}, in training mode, the same weights were dropped in every {what}.",
                expected=f"chance decides anew in every {what}",
                actual=f"one pattern for every {what}",
                next_step="How often is your pattern drawn, and which shape has it? It is drawn in every call, one number for every weight.",
                line=line,
            )
    return None
