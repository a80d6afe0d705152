"""``python -m tutor new``: the skeleton of an exercise, and what to do with it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tutor.authoring import write_skeleton
from tutor.curriculum import Shelf

FINE = 0


def write_new(slug: str, shelf: Shelf) -> int:
    """Write it and say what comes next.

    Raises:
        ContentError: the name is none or taken.
    """
    console = Console()
    for path in write_skeleton(slug, shelf):
        console.print(Text(f"✓ {path}"), soft_wrap=True)
    for number, step in enumerate(_next(slug, shelf), start=1):
        console.print(Text(f"{number}. {step}"), soft_wrap=True)
    return FINE


def _next(slug: str, shelf: Shelf) -> tuple[str, ...]:
    return (
        "It is a small exercise that works. Turn it into yours, file by file; docs/exercise-format.md explains every key.",
        f"python -m tutor lint {slug} says what is wrong and where, as often as you like.",
        f"When lint is content, list it in {shelf.folder / 'curriculum.toml'}; then start the app again.",
    )
