"""The numbers agree with the reference, which had the same weights and inputs and computed in float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from checkers._dtypes import LOST, TYPES, other_type, turned_at
from checkers._numbers import identical, near
from checkers._shapes import named, plain, spelled
from checkers._tape import first_line
from checkers.base import About, Call, Finding, Foreign, Observation, Seen, Step, Tensor

USES_REFERENCE = True
# Right variants in float32 stay below 7e-6 up to d_model = 512; the weakest known fault shows 4e-4.
TOLERANCE = 5e-5
HALF = 0.02
CODE, STALE = "differs-from-reference", "stale-cache"
WEIGHTS_DIFFER = (
    "The attention weights differ already, so look before the weighted sum: projections, split, scale, softmax."
)
# Where the output is the only result, nothing tells whether the weights inside were right.
ALONE = "Follow the way from the inputs: projections, split, scores, scale, softmax, weighted sum, joining of the heads, output matrix."
WEIGHTS_AGREE = (
    "The attention weights are right, so look at the values (projection, split) "
    "and after the softmax (weighted sum, joining of the heads, output matrix)."
)
WORDS = {
    "B": "sample",
    "h": "head",
    "T": "token",
    "T_q": "query",
    "T_k": "key",
    "d": "feature",
    "d_model": "feature",
    "n": "token",
    "d_k": "feature",
    "d_v": "feature",
}


def check(
    seen: Seen,
    expected: Seen,
    about: About,
    *,
    weights_differ: str = "",
    weights_agree: str = "",
    later: str = CODE,
    calls: Sequence[int] | None = None,
    tolerance: float = TOLERANCE,
) -> Finding | None:
    """Compares every result of every call: how many, finite, type, shape, value, in that order.

    Tensors have the shapes that ``about.returns`` names; values may differ by the tolerance, absolute plus relative.

    Args:
        weights_differ: next step where the last result, the attention weights, is wrong already; where there is but one result, that one.
        weights_agree: next step where it is right and another result is wrong.
        later: code of the finding where the first call of a case is right and a later one is not.
        calls: numbers of the calls to compare; all of them if not given.
        tolerance: how far values may differ.
    """
    for case, observation in seen.items():
        for number, mine, reference in _pairs(observation, expected[case], calls):
            findings = _call(mine, reference, about, case, number, tolerance=tolerance)
            if findings:
                first = next(iter(findings.values()))
                if first.code in TYPES:
                    message = _again(first.message, about, case, number) if number else first.message
                    return replace(first, message=message, line=turned_at(observation, about.dtype_of(case)))
                step = _step(findings, about, weights_differ, weights_agree)
                first = first if first.next_step else replace(first, next_step=step)
                return _explained(first, about, observation, expected[case], number=number, later=later)
    return None


def _step(findings: Mapping[str, Finding], about: About, weights_differ: str, weights_agree: str) -> str:
    """Where to look: what was made of right weights is right only if they were."""
    *_, weights = about.returns
    if list(findings) == [weights] and len(about.returns) > 1:
        return f"Everything else is right, so {weights} was right inside; return what the softmax gave, as it was used."
    if weights in findings:
        return weights_differ or (WEIGHTS_DIFFER if len(about.returns) > 1 else ALONE)
    return weights_agree or WEIGHTS_AGREE


def _explained(
    finding: Finding, about: About, mine: Observation, reference: Observation, *, number: int, later: str
) -> Finding:
    """The finding, as that of half precision or of something kept between calls where that explains it."""
    if _halved(mine, mine.calls[number], reference.calls[number]):
        return replace(finding, code=LOST, line=first_line(mine.tape, _is_half))
    if number == 0:
        return finding
    code = STALE if _stale(mine, reference, number) else later
    return replace(finding, code=code, message=_again(finding.message, about, mine.case, number))


def _pairs(mine: Observation, reference: Observation, calls: Sequence[int] | None) -> Iterator[tuple[int, Call, Call]]:
    for number, (one, other) in enumerate(zip(mine.calls, reference.calls, strict=True)):
        if calls is None or number in calls:
            yield number, one, other


def _again(message: str, about: About, case: str, number: int) -> str:
    """The message of a later call, with the sizes that are others than in the first."""
    now, before = about.dims_of(case, number), about.dims[case]
    others = ", ".join(f"{name} = {size}" for name, size in now.items() if size != before[name])
    where = " on the same module" if about.roles else ""
    return f"In call {number + 1}{where}{f', now with {others}' if others else ''}: {message}"


def _stale(mine: Observation, reference: Observation, number: int) -> bool:
    """Whether a result of a later call is that of the first to the last bit though it should not be: then something was kept."""
    pairs = (zip(one.calls[number].items, one.calls[0].items, strict=False) for one in (mine, reference))
    return any(identical(*got) and not identical(*wanted) for got, wanted in zip(*pairs, strict=False))


def _halved(observation: Observation, mine: Call, reference: Call) -> bool:
    """Whether the tape shows half precision and the results are off by no more than that explains."""
    if len(mine.items) != len(reference.items) or not any(_is_half(step) for step in observation.tape):
        return False
    return all(_near(got, wanted) for got, wanted in zip(mine.items, reference.items, strict=True))


def _near(got: Tensor | Foreign, wanted: Tensor) -> bool:
    if isinstance(got, Foreign) or tuple(got.shape) != tuple(wanted.shape):
        return False
    return bool(near(got, wanted, HALF).all())


def _is_half(step: Step) -> bool:
    return step.value is not None and str(step.value.dtype) in ("torch.float16", "torch.bfloat16")


def _call(mine: Call, reference: Call, about: About, case: str, number: int, *, tolerance: float) -> dict[str, Finding]:
    """Result → what is wrong with it; empty where all agree."""
    if len(mine.items) != len(reference.items):
        back, wanted = f"{len(mine.items)} result{'' if len(mine.items) == 1 else 's'}", list(about.returns)
        finding = _different(f"{back} came back in this situation", " and ".join(wanted), back)
        return {"": replace(finding, next_step=f"Return the same things from every path through {about.called}.")}
    dims, dtype = about.dims_of(case, number), about.dtype_of(case)
    heads = f" (h = {dims['h']}; positions count from 0)" if "h" in dims else ""
    found = {
        name: _unfit(name, axes, got, wanted, dims, dtype=dtype)
        or _values(name, axes, got, wanted, dims, tolerance=tolerance)
        for (name, axes), got, wanted in zip(about.returns.items(), mine.items, reference.items, strict=True)
    }
    return {
        name: finding if finding.code in TYPES else replace(finding, message=finding.message[:-1] + heads + ".")
        for name, finding in found.items()
        if finding is not None
    }


def _unfit(
    name: str, axes: str, got: Tensor | Foreign, wanted: Tensor, dims: Mapping[str, int], *, dtype: str
) -> Finding | None:
    """Why a result cannot be compared number by number, if it cannot."""
    if isinstance(got, Foreign):
        return _different(f"{name} is {got.what}, not a tensor", named(axes, dims), got.what)
    if not got.isfinite().all():
        return _different(f"{name} contains NaN or infinity", "finite numbers", "NaN or infinity")
    found = other_type(name, got, dtype)
    if found is None and tuple(got.shape) != tuple(wanted.shape):
        return _different(f"{name} has another shape", named(axes, dims), plain(tuple(got.shape)))
    return found


def _values(
    name: str, axes: str, got: Tensor, wanted: Tensor, dims: Mapping[str, int], *, tolerance: float
) -> Finding | None:
    if bool(near(got, wanted, tolerance).all()):
        return None
    distance = (got.double() - wanted).abs()
    flat = int(distance.flatten().argmax())
    place = _place(flat, tuple(wanted.shape), spelled(axes, dims))
    return _different(
        f"{name} differs from the reference by up to {float(distance.max()):.3g}, most at {place}",
        f"{float(wanted.flatten()[flat]):.5g}",
        # Not -0: a sign on nothing helps nobody.
        f"{float(got.flatten()[flat]) + 0.0:.5g}",
    )


def _different(message: str, expected: str, actual: str) -> Finding:
    return Finding(CODE, f"{message}.", expected, actual)


def _place(flat: int, shape: tuple[int, ...], axes: str) -> str:
    """``"sample 1, query 5, feature 12"`` for a flat index."""
    parts = []
    for size, axis in reversed(list(zip(shape, axes.split(), strict=True))):
        flat, index = divmod(flat, size)
        parts.append(f"{WORDS.get(axis, axis)} {index}")
    return ", ".join(reversed(parts))
