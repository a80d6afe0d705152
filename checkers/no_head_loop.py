"""All heads are computed at once: the number of products and softmaxes does not grow with h."""

from __future__ import annotations

import ast
from typing import TypeGuard

from checkers._nodes import name_of
from checkers._source import read
from checkers.base import About, Finding, Seen

# What attention is made of. Looking at each head, to print its mean say, is no loop over heads.
STEPS = frozenset({
    "matmul", "mm", "bmm", "mv", "dot", "inner", "baddbmm", "addmm", "addbmm", "einsum", "tensordot", "linear", "mul",
    "multiply", "softmax", "_softmax", "exp",
})  # fmt: skip
# Those that say it in the text, too; a loop over the matrices, to apply each, is none over heads.
WRITTEN = STEPS - {"linear", "mul", "multiply"}
MOST = 2_000  # names that a record can hold


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Compares recorded cases that differ in h alone; one product or softmax more per added head is a loop."""
    records = {about.dims[case]["h"]: observation.calls[0].operations for case, observation in seen.items()}
    if any(len(record) >= MOST for record in records.values()):
        return Finding(
            "too-many-operations",
            f"{about.called} runs {MOST:,} torch operations or more; a few dozen do the work.",
            expected="the same few operations for every h",
            actual=f"at least {MOST:,}",
            next_step=f"Look for a loop in {about.called} or in what it calls.",
            line=_line(about),
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
        line=_line(about),
    )


def _line(about: About) -> int | None:
    """The line of the loop around products or softmaxes, in itself or in what it calls; None where the text shows none."""
    source = read(about.source, about.entry)
    return source.loop_around(frozenset(node.lineno for node in source.calling if _is_step(node)))


def _is_step(node: ast.AST) -> TypeGuard[ast.expr]:
    return name_of(node) in WRITTEN or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))
