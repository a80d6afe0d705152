"""What walls are made of: layers that go up in a fixed order, each with what it must stop without the help of any other."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class ConfineError(Exception):
    """A layer could not be put up; the process must not run anything."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer.

    Args:
        id: its name in reports, for ever.
        detail: what exactly is on; of a missing layer, why it is missing.
        put_up: switches it on in the calling process, which is the worker of that number; None where it cannot be had.
        stops: attempt of ``selftest`` → the outcome that shows that this layer was the one to refuse it.
        kept: descriptors it still needs while it goes up; it closes them then.
    """

    id: str
    detail: str = ""
    put_up: Callable[[int], None] | None = None
    stops: Mapping[str, str] = field(default_factory=dict)
    kept: tuple[int, ...] = ()

    @property
    def on(self) -> bool:
        return self.put_up is not None

    def described(self) -> dict[str, Any]:
        return {"id": self.id, "detail": self.detail, "on": self.on, "stops": dict(self.stops)}


@dataclass(frozen=True, slots=True)
class Walls:
    """The layers of this machine in the order they go up, built before a worker exists.

    Args:
        layers: all of them, missing ones too.
        memory_bytes: address space a submission may add.
        not_kept: attempts of ``selftest`` that these walls do not promise to stop.
        device: where a worker computes.
        outside: a descriptor of the real root folder, left open only for proving that a layer holds without the others.
    """

    layers: tuple[Layer, ...]
    memory_bytes: int
    outside: int | None = None
    not_kept: tuple[str, ...] = ()
    device: str = "cpu"

    @property
    def kept(self) -> tuple[int, ...]:
        """Descriptors that the layers still need while they go up."""
        return tuple(fd for layer in self.layers for fd in layer.kept)

    def confine(self, number: int, only: Collection[str] | None = None) -> None:
        """Confine the calling process for good.

        Args:
            number: counts the workers.
            only: ids of the layers to put up; None for all there are.

        Raises:
            ConfineError: one layer did not go up; the message names it.
        """
        for layer in self.layers:
            if layer.put_up is not None and (only is None or layer.id in only):
                try:
                    layer.put_up(number)
                except Exception as error:  # a driver's start may raise anything
                    raise ConfineError(f"{layer.id}: {error}") from error


def in_a_child(action: Callable[[], None]) -> bool:
    """Whether an action works here, tried in a process that is gone afterwards; the caller must be single-threaded."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def tampered(layers: Sequence[Layer], missing: Collection[str], idle: Collection[str]) -> tuple[Layer, ...]:
    """The layers as tests want them; no setting leads here.

    Args:
        layers: as they are.
        missing: ids of those that are not to be had.
        idle: ids of those that say they are on and do nothing.
    """
    left = [Layer(one.id, "left out for a test") if one.id in missing else one for one in layers]
    return tuple(dataclasses.replace(one, put_up=_nothing) if one.id in idle and one.on else one for one in left)


def _nothing(_number: int) -> None:
    return None
