"""Everything happens where the inputs are: no helper is made on the default device, nothing is sent to one by name."""

from __future__ import annotations

from collections.abc import Sequence

from checkers._devices import Clash, Devices, Side
from checkers._moves import Moves
from checkers._numbers import identical
from checkers.base import About, Finding, Foreign, Observation, Seen, Step, Tensor


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Looks at cases with ``tape``: tensors that stay behind when a module moves must not meet the inputs, nor be returned."""
    moves = Moves(about.source)
    for observation in seen.values():
        devices = Devices(observation.tape, moves)
        if devices.clash is not None:
            return _clash(observation.tape, devices, moves, devices.clash)
        finding = _returned(observation, devices, moves, list(about.returns))
        if finding is not None:
            return finding
    return None


def _clash(tape: Sequence[Step], devices: Devices, moves: Moves, clash: Clash) -> Finding:
    met = tape[clash.step]
    left = devices.through_numpy(clash)
    if left is not None:
        return Finding(
            "numpy-inside",
            f"The numbers leave torch for numpy{_at(tape[left].line)} and come back, always on the CPU, to meet the inputs{_at(met.line)}.",
            expected="torch from the inputs to the results",
            actual="numpy in between",
            next_step="numpy knows neither gradients nor GPUs. Which torch operation does the same?",
            line=tape[left].line or met.line,
        )
    origin = devices.origin(clash.fixed)
    made = tape[origin] if isinstance(origin, int) else None
    return Finding(
        "device-fixed",
        f"{_what(made)}, and {met.name}{_at(met.line)} combines it with tensors that are wherever the inputs are. "
        "On a GPU the layer stops there.",
        expected="every helper on the device of the inputs",
        actual="a tensor that stays where it was made",
        next_step="A new tensor can be told where to be, or be made from one that is there already; "
        "one that belongs to the module can be a buffer, and then moves with it.",
        line=(made.line if made else moves.kept_at(met.line)) or met.line,
    )


def _what(made: Step | None) -> str:
    if made is None:
        return "A tensor that is neither an input nor a parameter nor a buffer stays on the CPU"
    if made.takes:
        return f"A tensor is sent to a device by name{_at(made.line)}"
    where = "a device that is named in the code" if made.device == "text" else "the default device"
    return f"{made.name}{_at(made.line)} makes a tensor on {where}"


def _at(line: int | None) -> str:
    return f" on line {line}" if line else ""


def _returned(observation: Observation, devices: Devices, moves: Moves, names: Sequence[str]) -> Finding | None:
    for name, item in zip(names, observation.calls[0].items, strict=False):
        step = None if isinstance(item, Foreign) else _stays_behind(observation.tape, devices, moves, item)
        if step is not None:
            return Finding(
                "device-fixed",
                f"{_what(step)}, and it comes back as {name}: with inputs on a GPU, {name} would not be there.",
                expected=f"{name} on the device of the inputs",
                actual="always on the same device",
                next_step="Return the tensor as it was computed; who calls can move it.",
                line=step.line,
            )
    return None


def _stays_behind(tape: Sequence[Step], devices: Devices, moves: Moves, item: Tensor) -> Step | None:
    """The fixed step that gave a result. Another step that gave the same numbers clears it, unless the text says that it does not."""
    equal = [number for number, step in enumerate(tape) if _equal(step.value, item)]
    if not equal or devices.side(equal[-1]) is not Side.FIXED:
        return None
    last = tape[equal[-1]]
    alone = all(devices.side(number) is Side.FIXED for number in equal)
    return last if alone or moves.returns(last) else None


def _equal(value: Tensor | None, item: Tensor) -> bool:
    return value is not None and bool(item.dim()) and identical(value, item)
