"""``python -m tutor lint``: one line per exercise, one per complaint, and the kill matrix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from rich.console import Console
from rich.text import Text

from tutor.cli.matrix import as_markdown, print_matrix
from tutor.errors import ContentError
from tutor.lint import lint, lint_curriculum
from tutor.settings import PROJECT

FINE, COMPLAINTS, USAGE = 0, 1, 2


def lint_exercises(asked: Sequence[str], page: Path | None = None) -> int:
    """Lint the named exercises, or all; 0 when they are in order, 1 with complaints, 2 for a name that does not exist.

    Args:
        asked: slugs; none means all.
        page: file to write the kill matrices to, as Markdown.
    """
    console = Console()
    folder, references = PROJECT / "exercises", PROJECT / "reference"
    known = sorted(path.parent.name for path in folder.glob("*/exercise.toml"))
    unknown = [slug for slug in asked if slug not in known]
    if unknown:
        console.print(
            Text(f"No exercise is called {', '.join(unknown)}. There are: {', '.join(known)}."), soft_wrap=True
        )
        return USAGE
    # Small tensors on several threads of a busy machine cost a hundred times as much as on one.
    torch.set_num_threads(1)
    wrong = _report(console, "curriculum.toml", lint_curriculum(folder)) if not asked else False
    matrices = []
    for slug in asked or known:
        found, matrix = lint(folder / slug, references)
        wrong = _report(console, slug, found) or wrong
        if matrix is not None:
            print_matrix(console, matrix)
            matrices.append(matrix)
    if page is not None:
        page.write_text(as_markdown(matrices), encoding="utf-8")
    return COMPLAINTS if wrong else FINE


def _report(console: Console, name: str, found: Sequence[ContentError]) -> bool:
    console.print(Text(f"{'✗' if found else '✓'} {name}", style="red" if found else "green"))
    for complaint in found:
        console.print(Text(f"    {complaint}"), soft_wrap=True)
    return bool(found)
