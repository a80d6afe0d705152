"""``python -m tutor lint``: one line per exercise, one per complaint, and the kill matrix."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

import torch
from rich.console import Console
from rich.text import Text

from tutor.cli.matrix import as_markdown, print_matrix
from tutor.curriculum import Shelf
from tutor.errors import ContentError
from tutor.lint import lint, lint_path
from tutor.proof import Matrix

FINE, COMPLAINTS, USAGE = 0, 1, 2


def lint_exercises(shelves: Sequence[Shelf], asked: Sequence[str], page: Path | None = None) -> int:
    """Lint the named exercises, or all; 0 when they are in order, 1 with complaints, 2 for a name that does not exist.

    Args:
        shelves: where they lie.
        asked: slugs; none means all.
        page: file to write the kill matrices to, as Markdown.
    """
    console = Console()
    known = {slug: shelf for shelf in reversed(shelves) for slug in shelf.there()}
    unknown = [slug for slug in asked if slug not in known]
    if unknown:
        console.print(
            Text(f"No exercise is called {', '.join(unknown)}. There are: {', '.join(sorted(known))}."), soft_wrap=True
        )
        return USAGE
    wrong = _report(console, "the path", lint_path(shelves)) if not asked else False
    matrices = []
    slugs = list(asked) or sorted(known)
    for slug, (found, matrix) in zip(slugs, _each([(slug, known[slug]) for slug in slugs], shelves[0]), strict=True):
        wrong = _report(console, slug, found) or wrong
        if matrix is not None:
            print_matrix(console, matrix)
            matrices.append(matrix)
    if page is not None:
        page.write_text(as_markdown(matrices), encoding="utf-8")
    return COMPLAINTS if wrong else FINE


def _each(slugs: Sequence[tuple[str, Shelf]], first: Shelf) -> Iterator[tuple[list[ContentError], Matrix | None]]:
    """Lint every exercise, several at once where there are several: each takes a processor for a minute or more."""
    if len(slugs) == 1:
        yield _one(*slugs[0], first)
        return
    # New processes: one that has torch in it must not be forked.
    with ProcessPoolExecutor(min(len(slugs), os.cpu_count() or 1), get_context("spawn"), _end_with_parent) as pool:
        yield from pool.map(_one, *zip(*slugs, strict=True), [first] * len(slugs))


def _end_with_parent() -> None:
    """Let this process end when the one that asked for it does; work begun would go on for minutes for nobody."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _one(slug: str, shelf: Shelf, first: Shelf) -> tuple[list[ContentError], Matrix | None]:
    # Small tensors on several threads of a busy machine cost a hundred times as much as on one.
    torch.set_num_threads(1)
    return lint(shelf.folder / slug, shelf.references, first.folder)


def _report(console: Console, name: str, found: Sequence[ContentError]) -> bool:
    console.print(Text(f"{'✗' if found else '✓'} {name}", style="red" if found else "green"))
    for complaint in found:
        console.print(Text(f"    {complaint}"), soft_wrap=True)
    return bool(found)
