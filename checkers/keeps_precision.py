"""float64 in, float64 out: nothing on the way is rounded to a shorter type or to some decimals."""

from __future__ import annotations

from dataclasses import replace

from checkers._shapes import result_of
from checkers._source import read
from checkers._tape import first_line
from checkers.base import About, Finding, Observation, Seen, Tensor

USES_REFERENCE = True
DTYPE = "float64"
# A softmax in float32 on the way is common and stays below 3e-7; numbers rounded to five decimals are off by 5e-6.
TOLERANCE = 2e-6
FLOATS = frozenset({"float16", "bfloat16", "float32"})
NAMED = FLOATS | {".half", ".float", "FloatTensor", "HalfTensor", ".round", ".round_"}


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Looks at cases with ``dtype = "float64"``: the type of each result, then its numbers more closely than in float32."""
    for case, observation in seen.items():
        for number, (mine, reference) in enumerate(zip(observation.calls, expected[case].calls, strict=True)):
            for name, wanted in zip(about.returns, reference.items, strict=True):
                got = result_of(mine, name, about, about.dims_of(case, number))
                if isinstance(got, Finding):
                    return got
                finding = _item(name, got, wanted)
                if finding is not None:
                    return replace(finding, line=_shorter(observation, about))
    return None


def _item(name: str, got: Tensor, wanted: Tensor) -> Finding | None:
    dtype = str(got.dtype).removeprefix("torch.")
    if dtype != DTYPE:
        return Finding(
            "precision-lost" if dtype in FLOATS else "wrong-dtype",
            f"With inputs and weights in {DTYPE}, {name} comes back as {dtype}.",
            expected=f"{DTYPE} all the way",
            actual=dtype,
            next_step="Look for .float(), .half(), a dtype=… or a .to(…) that names a type; ask the tensors for theirs instead.",
        )
    if not got.isfinite().all():
        return Finding(
            "not-finite",
            f"In {DTYPE}, {name} contains NaN or infinity.",
            expected="finite numbers",
            actual="NaN or infinity",
            next_step="Follow the numbers from the inputs: at which step does the first NaN or infinity appear?",
        )
    distance = (got - wanted).abs()
    if bool((distance <= TOLERANCE * (1 + wanted.abs())).all()):
        return None
    return Finding(
        "precision-lost",
        f"In {DTYPE}, {name} is still off by up to {float(distance.max()):.2g}, far more than {DTYPE} rounds.",
        expected=f"within {TOLERANCE:g} of the reference",
        actual=f"{float(distance.max()):.2g}",
        next_step="Look for a rounding, a shorter type on the way, or a constant that is written with few digits.",
    )


def _shorter(observation: Observation, about: About) -> int | None:
    """The line of the first step that makes something shorter out of something, else the first that names such a type."""
    line = first_line(
        observation.tape,
        lambda step: (
            bool(step.takes) and step.value is not None and str(step.value.dtype).removeprefix("torch.") in FLOATS
        ),
    )
    return line or read(about.source, about.entry).line_of(NAMED)
