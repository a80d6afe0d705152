"""Lines with which a scratch run may begin: build what the exercise asks for, call it once, look at the shapes."""

from __future__ import annotations

from collections.abc import Iterator

from checkers._shapes import sizes
from tutor.content import Case, Exercise


def opening(exercise: Exercise) -> str:
    """The lines for the first case of the exercise that calls something; nothing where no case does."""
    case = next((one for one in exercise.cases if one.inputs and not one.arguments), None)
    return "" if case is None else "\n".join(_lines(exercise, case)) + "\n"


def _lines(exercise: Exercise, case: Case) -> Iterator[str]:
    entry = exercise.entry
    called = entry.name
    if entry.kind == "class":
        called = "layer"
        yield f"layer = {entry.name}({', '.join(str(case.dims[name]) for name in entry.constructor)})"
    for name in entry.positional:
        word, *axes = case.inputs[name].split("*", maxsplit=1)[0].split()
        if word in {"randn", "ones", "zeros"}:
            yield f"{name} = torch.{word}({', '.join(map(str, sizes(' '.join(axes), case.dims)))})"
    results = list(entry.returns)
    yield f"{', '.join(results)} = {called}({', '.join(entry.positional)})"
    yield ", ".join(f"{name}.shape" for name in results)
