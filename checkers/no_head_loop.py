"""All heads are computed at once: the number of products and softmaxes does not grow with h."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from checkers._source import read
from checkers.base import About, Finding, Observation, Seen

# What attention is made of. Looking at each head, to print its mean say, is no loop over heads.
STEPS = frozenset({
    "matmul", "mm", "bmm", "mv", "dot", "inner", "baddbmm", "addmm", "addbmm", "einsum", "tensordot", "linear", "mul",
    "multiply", "softmax", "_softmax", "exp",
})  # fmt: skip
MOST = 2_000  # names that a record can hold


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Compares recorded cases that differ in h alone; one product or softmax more per added head is a loop."""
    cases = {about.dims[case]["h"]: observation for case, observation in seen.items()}
    records = {h: observation.calls[0].operations for h, observation in cases.items()}
    if any(len(record) >= MOST for record in records.values()):
        return Finding(
            "too-many-operations",
            f"{about.called} runs {MOST:,} torch operations or more; a few dozen do the work.",
            expected="the same few operations for every h",
            actual=f"at least {MOST:,}",
            next_step=f"Look for a loop in {about.called} or in what it calls.",
            line=_line(cases, about),
        )
    counts = {h: sum(name in STEPS for name in record) for h, record in records.items()}
    few, many = min(counts), max(counts)
    if counts[many] - counts[few] < many - few:
        return None
    return Finding(
        "loop-over-heads",
        f"{about.called} runs {counts[few]} products and softmaxes with h = {few} but {counts[many]} with h = {many}: "
        "it goes head by head.",
        expected="the same number of operations for every h",
        actual=f"{counts[few]} and {counts[many]}",
        next_step="Give the heads an axis of their own, and one matrix product works on all of them.",
        line=_line(cases, about),
    )


def _line(cases: Mapping[int, Observation], about: About) -> int | None:
    """The loop around what the case with the most heads repeats for each of them, else the line itself, else None."""
    few, many = min(cases), max(cases)
    counts = Counter(step.line for step in cases[many].tape if step.name in STEPS and step.line is not None)
    repeated = [line for line, count in counts.most_common() if count > many - few]
    if not repeated:
        return None
    return read(about.source, about.entry).loop_around(frozenset(repeated)) or repeated[0]
