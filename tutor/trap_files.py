"""The traps of an exercise: its own files, and those it borrows from another one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tutor.coherence import unique
from tutor.content import Exercise
from tutor.errors import ContentError
from tutor.files import parsed, read_text, validated
from tutor.traps import Borrowed, Trap


def load_traps(exercise: Exercise, folder: Path, lenders: Sequence[Path]) -> tuple[Trap, ...]:
    """The exercise's own traps, each file one trap, and those it borrows, in the order of their ids.

    Args:
        exercise: as far as it is read.
        folder: its own.
        lenders: folders of exercises that it may borrow from; the first one that knows the other exercise counts.

    Raises:
        ContentError: a file is wrong, or what is to be borrowed is not there or is there already.
    """
    own = {path.stem: _trap(path, exercise.file_of(path.stem)) for path in (folder / "traps").glob("*.toml")}
    ids = [*own, *(trap for borrowed in exercise.borrows for trap in borrowed.traps)]
    unique(f"{folder.name}/exercise.toml", "borrows", ids)
    found = own | {
        name: _trap(path, exercise.file_of(name), borrowed.names)
        for number, borrowed in enumerate(exercise.borrows)
        for name, path in _lent(borrowed, folder, lenders, f"borrows.{number}").items()
    }
    return tuple(found[name] for name in sorted(found))


def _lent(borrowed: Borrowed, folder: Path, lenders: Sequence[Path], key: str) -> dict[str, Path]:
    """The files of what is borrowed, by id."""
    homes = [shelf / borrowed.source / "traps" for shelf in lenders]
    home = next((home for home in homes if home.is_dir()), folder / "none")
    there = {path.stem: path for path in home.glob("*.toml")}
    for missing in (name for name in borrowed.traps if name not in there):
        allowed = ", ".join(sorted(there)) or "none, since no such exercise has traps"
        file = f"{folder.name}/exercise.toml"
        raise ContentError(file, f"{key}.traps", f"“{missing}” is no trap of {borrowed.source}; allowed: {allowed}.")
    return {name: there[name] for name in borrowed.traps}


def _trap(path: Path, file: str, names: Mapping[str, str] = MappingProxyType({})) -> Trap:
    """One trap, with names of another exercise exchanged for those of this one."""
    trap = validated(Trap, parsed(_renamed(read_text(path, file), names), file), file)
    if trap.id != path.stem:
        raise ContentError(file, "id", f"“{trap.id}” must equal the file's name, “{path.stem}”.")
    return trap


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """All at once, so that two names may change places, and the longest first."""
    if not names:
        return text
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{words})(?!\w)", lambda found: names[found[0]], text)
