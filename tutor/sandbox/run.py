"""What one run of a job in the sandbox produced. Nothing in here has been believed, only measured and capped."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch

RunEnding: TypeAlias = Literal["done", "exited", "signalled", "timed_out", "too_big", "garbage"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One report of the worker: the JSON header as raw, unchecked bytes, and its tensors on the CPU."""

    header: bytes
    tensors: tuple[torch.Tensor, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """How a worker's only job went.

    ``signal`` or ``exit_code`` is set where the process ended by itself without a last frame. ``out_of_memory`` means that
    the worker had no memory left to report anything. ``printed`` is what it printed,
    cut at the pool's cap. ``timed_out_after`` is the limit that was exceeded, in seconds, as is ``seconds``, the whole run, and
    ``waited``: for a place, a worker and a processor, which is nobody's doing. ``too_big`` says what came, and what is taken.
    """

    frames: tuple[Frame, ...]
    ending: RunEnding
    signal: int | None
    exit_code: int | None
    out_of_memory: bool
    printed: str
    seconds: float
    timed_out_after: float | None
    waited: float = 0.0
    too_big: str = ""


class Printed:
    """Collects what a worker prints, up to a cap, however much it is."""

    def __init__(self, cap_bytes: int) -> None:
        self._cap, self._kept, self._cut = cap_bytes, bytearray(), False

    def add(self, data: bytes) -> None:
        room = self._cap - len(self._kept)
        self._cut = self._cut or len(data) > room
        self._kept += data[:room]

    @property
    def cut(self) -> bool:
        return self._cut

    def text(self) -> str:
        """The text without control characters other than line feeds and tabs, with a note where it was cut."""
        text = self._kept.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
        plain = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) != "Cc")
        note = f"\n[… your code printed more; only the first {self._cap:,} bytes are shown]" if self._cut else ""
        return plain + note
