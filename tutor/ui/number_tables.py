"""Tensors as small tables of Markdown: the last two axes are rows and columns, the axes before them have a table for each place."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import product

from checkers._shapes import plain
from checkers.equals_reference import WORDS
from tutor.trials import Grid

NOT_FINITE = "not finite"


def in_axes(axes: tuple[str, ...], shape: tuple[int, ...]) -> str:
    """``(1, 2, 4) = (B, T_q, d_model)``; the shape alone where it is another."""
    return f"{plain(shape)} = ({', '.join(axes)})" if len(axes) == len(shape) else plain(shape)


def tables(
    grid: Grid, axes: tuple[str, ...], decimals: int | None = None, apart: Collection[int] = (), *, truths: bool = False
) -> Iterator[tuple[str, str]]:
    """Every table with what it is of, ``"head 1"``; nothing where it is the only one.

    Args:
        grid: the numbers.
        axes: their names, as long as the shape, or anything else where the shape is another.
        decimals: of each number; as many as it has if None.
        apart: places in row-major order that are marked.
        truths: 1 stands for True, 0 for False.
    """
    *outer, rows, columns = (1, 1, *grid.shape)[-max(len(grid.shape), 2) :]
    named = axes if len(axes) == len(grid.shape) else tuple("axis" for _ in grid.shape)
    for number, place in enumerate(product(*(range(size) for size in outer))):
        start = number * rows * columns
        written = [_written(grid.values[at], decimals, truths) for at in range(start, start + rows * columns)]
        cells = [
            f":red-background[**≠ {text}**]" if at in apart else text for at, text in enumerate(written, start=start)
        ]
        yield _of(place, named, outer), _table(cells, rows, columns, numbered=len(grid.shape) > 1)


def _table(cells: list[str], rows: int, columns: int, *, numbered: bool) -> str:
    """Rows and columns count from 0; a vector has columns only."""
    corner = [""] if numbered else []
    lines = [[*corner, *map(str, range(columns))], [*("---" for _ in corner), *("--:" for _ in range(columns))]]
    for row in range(rows):
        lines.append([*(f":gray[{row}]" for _ in corner), *cells[row * columns : (row + 1) * columns]])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _of(place: tuple[int, ...], axes: tuple[str, ...], outer: list[int]) -> str:
    words = zip(axes, place, outer, strict=False)
    return ", ".join(f"{WORDS.get(axis, axis)} {index}" for axis, index, size in words if size > 1)


def _written(value: float | None, decimals: int | None, truths: bool) -> str:
    if value is None or not math.isfinite(value):
        return NOT_FINITE
    if truths:
        return str(bool(value))
    # Not -0.00: a sign on nothing helps nobody.
    return f"{value:g}" if decimals is None else f"{round(value, decimals) + 0.0:.{decimals}f}"
