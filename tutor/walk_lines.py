"""What each line of a submission left in one call: shapes in named axes, and the stages of the reference that these are.

An operation belongs to the line it is written on, in a helper, too. What a line left is what none of its own later operations takes: the
last of a chain, each of three projections in a comprehension, one result per call of a helper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checkers.base import Fault, Step
from tutor.stage_axes import StageAxes
from tutor.tape import Alignment
from tutor.walked import Left, LineMark, WalkedLine

SHAPES, RANK = 4, 8
Shape = tuple[int, ...]


@dataclass(frozen=True)
class TapedLines:
    """The lines of one tape.

    Args:
        tape: of the call.
        values: stage → value of the reference.
        alignment: of both.
        used: the operations that lead to what was returned; None where that is not known.
        axes: names for shapes.
        fault: that ended the call, if one did.
        last: the number of the submission's last line.
    """

    tape: Sequence[Step]
    values: Mapping[str, Any]
    alignment: Alignment
    used: frozenset[int] | None
    axes: StageAxes
    fault: Fault | None
    last: int

    def lines(self) -> Iterator[WalkedLine]:
        """Every line that made a tensor, in order of first execution; where the code stopped, last."""
        for line, numbers in self._by_line.items():
            ends = self._ends(numbers)
            left = self._grouped(ends)
            told = {stage for one in left for stage in one.stages}
            on_the_way = (self._stage(number) for number in numbers if number not in ends and not self._unused(number))
            through = [stage for stage, turned in on_the_way if stage and not turned and stage not in told]
            if left:
                right = all(one.stages and not one.unused for one in left)
                mark = LineMark.EQUAL if right else LineMark.NEUTRAL
                yield WalkedLine(line=line, mark=mark, left=left, through=tuple(dict.fromkeys(through)))
        if self.fault is not None and self.fault.line is not None and self.fault.line <= self.last:
            given = [shape for shape in self.fault.shapes[:SHAPES] if len(shape) <= RANK]
            left = tuple(Left(sizes=shape, axes=self.axes.named(shape)) for shape in given)
            yield WalkedLine(line=self.fault.line, mark=LineMark.STOPPED, left=left)

    def stops(self, line: int) -> bool:
        """Whether what stopped the code is on this line, or is given what the line made."""
        made = set(self._by_line.get(line, ()))
        raising = self._raising
        return self.fault is not None and (
            line == self.fault.line or (raising is not None and bool(made & set(self.tape[raising].takes)))
        )

    @cached_property
    def _raising(self) -> int | None:
        """The number of the operation that raised, if one did: the last one."""
        return len(self.tape) - 1 if self.fault is not None and self.fault.operation else None

    @cached_property
    def _by_line(self) -> Mapping[int, list[int]]:
        """Line → the numbers of its operations."""
        found: dict[int, list[int]] = {}
        for number, step in enumerate(self.tape):
            if step.line is not None and 1 <= step.line <= self.last:
                found.setdefault(step.line, []).append(number)
        return found

    @cached_property
    def _shapes(self) -> Mapping[int, Shape]:
        """Operation → the shape of its result; where that was not kept, as it is given to another operation."""
        found: dict[int, Shape] = {}
        for number, step in enumerate(self.tape):
            for source, shape in zip(step.takes, step.shapes, strict=False):
                if isinstance(source, int):
                    found.setdefault(source, shape)
            if step.value is not None:
                found[number] = tuple(step.value.shape)
        return {number: shape for number, shape in found.items() if len(shape) <= RANK}

    def _ends(self, numbers: Sequence[int]) -> list[int]:
        taken = {source for number in numbers for source in self.tape[number].takes}
        return [n for n in numbers if n in self._shapes and n not in taken and n != self._raising]

    def _grouped(self, numbers: Sequence[int]) -> tuple[Left, ...]:
        """Results of one shape and layout together, in order."""
        found: dict[tuple[Shape, tuple[str, ...], bool, bool, bool], list[str]] = {}
        for number in numbers:
            stage, turned = self._stage(number)
            axes = self.axes.named(self._shapes[number], stage)
            unused = self._unused(number)
            found.setdefault((self._shapes[number], axes, bool(stage), turned, unused), []).append(stage)
        return tuple(
            Left(
                sizes=shape,
                axes=axes,
                times=len(some),
                stages=tuple(dict.fromkeys(filter(None, some))),
                turned=turned,
                unused=unused,
            )
            for (shape, axes, _, turned, unused), some in list(found.items())[:SHAPES]
        )

    def _unused(self, number: int) -> bool:
        return self.used is not None and number not in self.used

    def _stage(self, number: int) -> tuple[str, bool]:
        """The stage that the result of an operation is, "" if none; and whether its axes lie otherwise than there."""
        names, shape = self._stages.get(number, ()), self._shapes.get(number, ())
        wanted = {name: tuple(self.values[name].shape) for name in names}
        alike = [name for name in names if wanted[name] == shape]
        turned = [name for name in names if sorted(wanted[name]) == sorted(shape)]
        return next(((some[0], some is not alike) for some in (alike, turned, names) if some), ("", False))

    @cached_property
    def _stages(self) -> Mapping[int, list[str]]:
        found: dict[int, list[str]] = {}
        for stage, numbers in self.alignment.seen.items():
            for number in numbers:
                found.setdefault(number, []).append(stage)
        return found
