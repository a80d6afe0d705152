"""The numbers agree with the reference, which had the same weights and inputs and computed in float64."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from checkers._shapes import named, plain
from checkers.base import About, Call, Finding, Foreign, Seen, Tensor

USES_REFERENCE = True
# Right variants in float32 stay below 7e-6 up to d_model = 512; the weakest known fault shows 4e-4.
TOLERANCE = 5e-5
WEIGHTS_DIFFER = (
    "The attention weights differ already, so look before the weighted sum: projections, split, scale, softmax."
)
WEIGHTS_AGREE = (
    "The attention weights are right, so look at the values (projection, split) "
    "and after the softmax (weighted sum, joining of the heads, output matrix)."
)
WORDS = {"B": "sample", "h": "head", "T": "token", "T_q": "query", "T_k": "key", "d_model": "feature", "n": "token"}


def check(
    seen: Seen,
    expected: Seen,
    about: About,
    *,
    weights_differ: str = WEIGHTS_DIFFER,
    weights_agree: str = WEIGHTS_AGREE,
) -> Finding | None:
    """Compares every result of every call: number, finite, shape, value, in that order.

    Tensors have the shapes that ``about.returns`` names; values may differ by ``TOLERANCE``, absolute plus relative.

    Args:
        weights_differ: next step where the last result, the attention weights, is wrong already.
        weights_agree: next step where it is right and another result is wrong.
    """
    for case, observation in seen.items():
        for mine, reference in zip(observation.calls, expected[case].calls, strict=True):
            findings = _call(mine, reference, about, about.dims[case])
            if findings:
                step = weights_differ if list(about.returns)[-1] in findings else weights_agree
                first = next(iter(findings.values()))
                return first if first.next_step else replace(first, next_step=step)
    return None


def _call(mine: Call, reference: Call, about: About, dims: Mapping[str, int]) -> dict[str, Finding]:
    """Result → what is wrong with it; empty where all agree."""
    if len(mine.items) != len(reference.items):
        back, wanted = f"{len(mine.items)} result{'' if len(mine.items) == 1 else 's'}", list(about.returns)
        finding = _different(f"{back} came back in this situation", " and ".join(wanted), back)
        return {"": replace(finding, next_step="Return the same things from every path through forward.")}
    heads = f" (h = {dims['h']}; positions count from 0)" if "h" in dims else ""
    found = {
        name: _item(name, axes, got, wanted, dims)
        for (name, axes), got, wanted in zip(about.returns.items(), mine.items, reference.items, strict=True)
    }
    return {
        name: replace(finding, message=finding.message[:-1] + heads + ".")
        for name, finding in found.items()
        if finding is not None
    }


def _item(name: str, axes: str, got: Tensor | Foreign, wanted: Tensor, dims: Mapping[str, int]) -> Finding | None:
    if isinstance(got, Foreign):
        return _different(f"{name} is {got.what}, not a tensor", named(axes, dims), got.what)
    if not got.isfinite().all():
        return _different(f"{name} contains NaN or infinity", "finite numbers", "NaN or infinity")
    if tuple(got.shape) != tuple(wanted.shape):
        return _different(f"{name} has another shape", named(axes, dims), plain(tuple(got.shape)))
    distance = (got.double() - wanted).abs()
    if bool((distance <= TOLERANCE * (1 + wanted.abs())).all()):
        return None
    flat = int(distance.flatten().argmax())
    place = _place(flat, tuple(wanted.shape), axes)
    return _different(
        f"{name} differs from the reference by up to {float(distance.max()):.3g}, most at {place}",
        f"{float(wanted.flatten()[flat]):.5g}",
        # Not -0: a sign on nothing helps nobody.
        f"{float(got.flatten()[flat]) + 0.0:.5g}",
    )


def _different(message: str, expected: str, actual: str) -> Finding:
    return Finding("differs-from-reference", f"{message}.", expected, actual)


def _place(flat: int, shape: tuple[int, ...], axes: str) -> str:
    """``"sample 1, query 5, feature 12"`` for a flat index."""
    parts = []
    for size, axis in reversed(list(zip(shape, axes.split(), strict=True))):
        flat, index = divmod(flat, size)
        parts.append(f"{WORDS.get(axis, axis)} {index}")
    return ", ".join(reversed(parts))
