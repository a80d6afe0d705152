"""Frames between the trusted process and a worker: a JSON header and raw tensors. Standard library only, never pickle.

A frame is ``prelude | header | tensor*``; a tensor is ``dtype u8, dims u8 | size u64 * dims | nbytes u64 | raw bytes``.
All numbers are little-endian. Reading expects hostile bytes: whatever comes, it raises ``WireError`` or returns a
frame that keeps every promise below.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple, TypeAlias

from . import policy

Buffer: TypeAlias = bytes | bytearray | memoryview

MAGIC: Final = b"TUT1"
ITEM_BYTES: Final[Mapping[str, int]] = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip

_PRELUDE: Final = struct.Struct("<4sBxHIQ")
_TENSOR: Final = struct.Struct("<BB6x")
_SIZE: Final = struct.Struct("<Q")
_NAMES: Final = tuple(ITEM_BYTES)


class WireError(Exception):
    """The bytes are not a frame that is allowed here."""


class TooBig(WireError):
    """The bytes announce more than the caps allow."""


class Kind(IntEnum):
    """What a frame is. READY and REFUSED come before any student code exists in the worker."""

    READY = 1
    REFUSED = 2
    JOB = 3
    SELF_TEST = 4
    CASE = 5
    LAST = 6


class TensorBytes(NamedTuple):
    """A dense tensor: dtype name (a key of ``ITEM_BYTES``), shape, and its raw little-endian bytes in C order."""

    dtype: str
    shape: tuple[int, ...]
    data: Buffer


class RawFrame(NamedTuple):
    """A checked frame. ``header`` is as it came: UTF-8 JSON is promised by nobody."""

    kind: Kind
    header: bytes
    tensors: tuple[TensorBytes, ...]


@dataclass(frozen=True, slots=True)
class Caps:
    """What a reader accepts: sizes in bytes. ``body_bytes`` holds for all frames of the stream together."""

    header_bytes: int = policy.HEADER_BYTES
    body_bytes: int = policy.JOB_BODY_BYTES
    tensors: int = policy.RESULT_TENSORS
    frames: int = policy.FRAMES


def pieces(header: Mapping[str, Any], tensors: Sequence[TensorBytes], kind: Kind = Kind.CASE) -> list[Buffer]:
    """The parts of a frame in order, tensors uncopied.

    Raises:
        WireError: the header is no JSON (NaN counts), a tensor's bytes do not fit its shape, or there are too many.
    """
    try:
        # A lone surrogate of a student's message cannot be encoded; "?" keeps the rest readable.
        text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"The header cannot be written as JSON: {error}") from error
    body: list[Buffer] = []
    for dtype, shape, data in tensors:
        _check_shape(dtype, shape, len(data))
        body.append(_TENSOR.pack(_NAMES.index(dtype), len(shape)))
        body.append(struct.pack(f"<{len(shape)}QQ", *shape, len(data)))
        body.append(data)
    if len(tensors) > policy.JOB_TENSORS:
        raise TooBig(f"{len(tensors):,} tensors; at most {policy.JOB_TENSORS:,} are taken")
    prelude = _PRELUDE.pack(MAGIC, kind, len(tensors), len(text), sum(map(len, body)))
    return [prelude, text, *body]


class FrameReader:
    """Turns a stream of chunks into frames. After it has raised, it must not be fed again."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._buffer = bytearray()
        self._body_left, self._frames_left = caps.body_bytes, caps.frames

    @property
    def unfinished(self) -> bool:
        """True while bytes of an incomplete frame wait."""
        return bool(self._buffer)

    def feed(self, chunk: Buffer) -> list[RawFrame]:
        """Take the next bytes and return the frames they complete.

        Raises:
            TooBig: a frame announces more than the caps allow; nothing of it is awaited.
            WireError: the bytes are no frame.
        """
        self._buffer += chunk
        frames: list[RawFrame] = []
        while len(self._buffer) >= _PRELUDE.size:
            kind, count, header_bytes, body_bytes = self._prelude()
            end = _PRELUDE.size + header_bytes + body_bytes
            if len(self._buffer) < end:
                break
            with memoryview(self._buffer) as view:
                body = view[_PRELUDE.size + header_bytes : end]
                header = bytes(view[_PRELUDE.size : _PRELUDE.size + header_bytes])
                with body:
                    frames.append(RawFrame(kind, header, _tensors(body, count)))
            del self._buffer[:end]
            self._body_left -= body_bytes
            self._frames_left -= 1
        return frames

    def _prelude(self) -> tuple[Kind, int, int, int]:
        magic, kind, count, header_bytes, body_bytes = _PRELUDE.unpack_from(self._buffer)
        if magic != MAGIC or kind not in Kind.__members__.values() or self._buffer[5]:
            raise WireError("The bytes do not begin with the prelude of a frame.")
        if body_bytes > self._body_left:
            came = self._caps.body_bytes - self._body_left + body_bytes
            raise TooBig(f"{came:,} bytes of tensors; at most {self._caps.body_bytes:,} are taken")
        if header_bytes > self._caps.header_bytes:
            raise TooBig(f"{header_bytes:,} bytes of descriptions; at most {self._caps.header_bytes:,} are taken")
        if count > self._caps.tensors:
            raise TooBig(f"{count:,} tensors; at most {self._caps.tensors:,} are taken")
        if self._frames_left < 1:
            raise TooBig(f"more than {self._caps.frames:,} reports")
        return Kind(kind), count, header_bytes, body_bytes


def _tensors(body: memoryview, count: int) -> tuple[TensorBytes, ...]:
    found, at = [], 0
    for _ in range(count):
        tensor, at = _tensor(body, at)
        found.append(tensor)
    if at != len(body):
        raise WireError(f"{len(body) - at} bytes follow the last tensor of the frame.")
    return tuple(found)


def _tensor(body: memoryview, at: int) -> tuple[TensorBytes, int]:
    try:
        code, dims = _TENSOR.unpack_from(body, at)
        if code >= len(_NAMES) or dims > policy.TENSOR_DIMS or any(body[at + 2 : at + _TENSOR.size]):
            raise WireError("A tensor has an unknown dtype or too many dimensions.")
        at += _TENSOR.size
        *shape, nbytes = struct.unpack_from(f"<{dims}QQ", body, at)
    except struct.error as error:
        raise WireError("A tensor's description is cut off.") from error
    at += (dims + 1) * _SIZE.size
    _check_shape(_NAMES[code], shape, nbytes)
    if nbytes > len(body) - at:
        raise WireError("A tensor's bytes are cut off.")
    return TensorBytes(_NAMES[code], tuple(shape), bytearray(body[at : at + nbytes])), at + nbytes


def _check_shape(dtype: str, shape: Sequence[int], nbytes: int) -> None:
    item = ITEM_BYTES.get(dtype)
    if item is None or len(shape) > policy.TENSOR_DIMS or any(size < 0 for size in shape):
        raise WireError(f"A {dtype} tensor of shape {list(shape)} cannot be sent.")
    if math.prod(max(size, 1) for size in shape) * item > policy.TENSOR_BYTES:
        raise TooBig(f"a tensor of shape {list(shape)}, larger than any that is taken")
    if math.prod(shape) * item != nbytes:
        raise WireError(f"A {dtype} tensor of shape {list(shape)} cannot have {nbytes} bytes.")
