"""``python -m tutor lint``: one line per exercise, one per complaint."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from tutor.lint import lint, lint_curriculum
from tutor.settings import PROJECT

FINE, COMPLAINTS, USAGE = 0, 1, 2


def lint_exercises(asked: Sequence[str]) -> int:
    """Lint the named exercises, or all; 0 when they are in order, 1 with complaints, 2 for a name that does not exist."""
    console = Console()
    folder, references = PROJECT / "exercises", PROJECT / "reference"
    known = sorted(path.parent.name for path in folder.glob("*/exercise.toml"))
    unknown = [slug for slug in asked if slug not in known]
    if unknown:
        console.print(
            Text(f"No exercise is called {', '.join(unknown)}. There are: {', '.join(known)}."), soft_wrap=True
        )
        return USAGE
    complaints = {"curriculum.toml": lint_curriculum(folder)} if not asked else {}
    complaints |= {slug: lint(folder / slug, references) for slug in asked or known}
    for name, found in complaints.items():
        console.print(Text(f"{'✗' if found else '✓'} {name}", style="red" if found else "green"))
        for complaint in found:
            console.print(Text(f"    {complaint}"), soft_wrap=True)
    return COMPLAINTS if any(complaints.values()) else FINE
