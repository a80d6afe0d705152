"""A map of attention weights as a chart: rows ask, columns are asked."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cache
from typing import Any

from tutor.trials import Grid
from tutor.ui.head_maps import Cell, cells, numbered

# Seen in light and in dark: what is between them is the strength of the colour.
WEIGHT, HIDDEN, LEAK, HALO = "#12857b", "#808080", "#b3261e", "#ffffff"
FAINTEST, SHADE = 0.05, 0.22
ROW_PIXELS, HEAD_PIXELS, LABEL_PIXELS, SIGN_PIXELS = 26, 60, 90, 15
# More columns than these have no room for names aslant.
SLANTED = 7
DATA = "cells"
TOLD = {"row": "asks", "column": "is asked", "weight": "weight"}


def heatmap(grid: Grid, words: Sequence[str], asked: Sequence[str], *, causal: bool) -> dict[str, Any]:
    """The chart of one map in Vega-Lite.

    Args:
        grid: the weights.
        words: of the rows.
        asked: of the columns.
        causal: later words are hidden.
    """
    rows, columns = numbered(words), numbered(asked)
    values = [_drawn(cell, rows, columns) for cell in cells(grid, causal=causal)]
    steep = len(columns) > SLANTED
    height = (LABEL_PIXELS if steep else HEAD_PIXELS) + ROW_PIXELS * len(rows)
    return copy.deepcopy(_form(steep)) | {"datasets": {DATA: values}, "height": height}


@cache
def _form(steep: bool) -> dict[str, Any]:
    """The chart without its data, its columns named upright or aslant: Altair takes a tenth of a second to make one, and a page with four maps is drawn again and again."""
    import altair as alt  # noqa: PLC0415  as long again, and not before somebody looks at a map

    base = alt.Chart(alt.NamedData(name=DATA)).encode(
        x=alt.X("column:N", sort=None, axis=_axis(alt, "top", -90 if steep else -45)),
        y=alt.Y("row:N", sort=None, axis=_axis(alt, "left", 0)),
        tooltip=[alt.Tooltip(f"{name}:N", title=title) for name, title in TOLD.items()],
    )
    fill = base.mark_rect(stroke=HIDDEN, strokeOpacity=0.35, strokeWidth=1).encode(
        color=alt.Color("colour:N", scale=None), fillOpacity=alt.FillOpacity("strength:Q", scale=None)
    )
    halo, sign = (
        base.mark_text(fontSize=SIGN_PIXELS, fontWeight="bold", color=colour, stroke=colour, strokeWidth=width).encode(
            text="sign:N"
        )
        for colour, width in ((HALO, 4), (LEAK, 0))
    )
    made: dict[str, Any] = alt.layer(fill, halo, sign).to_dict()
    del made["config"]  # a width of its own
    return made


def _axis(alt: Any, side: str, angle: int) -> Any:
    return alt.Axis(
        title=None,
        orient=side,
        labelAngle=angle,
        labelLimit=LABEL_PIXELS,
        labelOverlap=False,
        ticks=False,
        domain=False,
    )


def _drawn(cell: Cell, rows: Sequence[str], columns: Sequence[str]) -> dict[str, str | float]:
    """A cell as the chart takes it. What is hidden and stays so has no strength of its own."""
    shut = cell.hidden and not cell.leaks
    strength = SHADE if shut else FAINTEST + (1 - FAINTEST) * min(max(cell.weight or 0.0, 0.0), 1.0)
    weight = "no number" if cell.weight is None else f"{cell.weight:.3f}"
    return {
        "row": rows[cell.row],
        "column": columns[cell.column],
        "weight": f"{weight}, hidden" if cell.hidden else weight,
        "colour": HIDDEN if shut else WEIGHT,
        "strength": strength,
        "sign": "✕" if cell.leaks else "?" if cell.weight is None else "",
    }
