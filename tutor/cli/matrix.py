"""The kill matrix as a table: traps down, checks across, in each field how many forms of the trap the check fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table

from checkers.equals_reference import TOLERANCE
from tutor.proof import Matrix

NAME, COLUMN = 40, 4
MARGIN_WORDS = (
    "The right answer in float32 errs by at most {right:.1e}, the weakest trap by {weakest:.1e}; "
    "the tolerance of {tolerance:.0e} lies between."
)


def lines(matrix: Matrix) -> Iterator[tuple[str, int, list[int]]]:
    """Each trap with its number of forms and, for every check, how many of them it fails."""
    for name, group in groupby(matrix.rows, key=lambda row: row.name or row.form):
        rows = list(group)
        yield name, len(rows), [sum(check in row.fails for row in rows) for check in matrix.checks]


def summary(matrix: Matrix) -> str:
    """Survivors, idle checks and the margin, in one sentence each."""
    killed = f"{sum(bool(row.name) for row in matrix.rows)} forms of {len({row.name for row in matrix.rows if row.name})} traps, {sum(not row.name for row in matrix.rows)} faults without a name"
    left = f"{len(matrix.survivors)} survive, {len(matrix.idle)} of {len(matrix.checks)} checks are idle."
    words = MARGIN_WORDS.format(right=matrix.right, weakest=matrix.weakest, tolerance=TOLERANCE)
    return f"{killed}: {left} {words}"


def print_matrix(console: Console, matrix: Matrix) -> None:
    """The whole table, columns numbered, which number is which check below it; in a narrow window a line for each trap."""
    if console.width < NAME + COLUMN * len(matrix.checks):
        for name, forms, fails in lines(matrix):
            where = ", ".join(f"{check} {count}" for check, count in zip(matrix.checks, fails, strict=True) if count)
            console.print(f"  {name} ({forms}): {where or 'survives'}", highlight=False, soft_wrap=True)
    else:
        _print_table(console, matrix)
    console.print(summary(matrix), highlight=False, soft_wrap=True)


def _print_table(console: Console, matrix: Matrix) -> None:
    table = Table("trap", "forms", *(str(number) for number in range(1, len(matrix.checks) + 1)), padding=(0, 0, 0, 1))
    for name, forms, fails in lines(matrix):
        table.add_row(name, str(forms), *(str(count) if count else "·" for count in fails))
    console.print(table)
    for number, check in enumerate(matrix.checks, start=1):
        console.print(f"  {number:>2} {check}", highlight=False)


def as_markdown(matrices: Sequence[Matrix]) -> str:
    """The tables of several exercises as one page."""
    parts = [
        "# Kill matrix",
        "Every known fault against every check: the number of its forms that the check fails. Written by "
        "`python -m tutor lint --matrix docs/kill-matrix.md`; a check reports a fault once, so what waits for it shows nothing.",
    ]
    for matrix in matrices:
        parts += [f"## {matrix.slug}", summary(matrix), _legend(matrix), _table(matrix)]
    return "\n\n".join(parts) + "\n"


def _legend(matrix: Matrix) -> str:
    return "\n".join(f"{number}. `{check}`" for number, check in enumerate(matrix.checks, start=1))


def _table(matrix: Matrix) -> str:
    numbers = range(1, len(matrix.checks) + 1)
    head = ["| trap | forms | " + " | ".join(map(str, numbers)) + " |", "| --- | --: |" + " --: |" * len(numbers)]
    rows = [
        f"| {name} | {forms} | " + " | ".join(str(count) if count else "" for count in fails) + " |"
        for name, forms, fails in lines(matrix)
    ]
    return "\n".join(head + rows)
