"""Frames: what goes in comes out, and hostile bytes raise one kind of exception only."""

from __future__ import annotations

import math
import struct

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.sandbox.inside.tensors import from_wire, refusal, to_wire
from tutor.sandbox.inside.wire import (
    ITEM_BYTES,
    Caps,
    FrameReader,
    Kind,
    TensorBytes,
    TooBig,
    WireError,
    pieces,
)


def pack(header, tensors, kind=Kind.CASE):
    return b"".join(pieces(header, tensors, kind))


def unpack(data, caps=None):
    """Exactly one frame, or WireError."""
    reader = FrameReader(caps or Caps())
    found = reader.feed(data)
    if len(found) != 1 or reader.unfinished:
        raise WireError("not exactly one frame")
    return found[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def raw_tensors(draw: st.DrawFn) -> TensorBytes:
    dtype = draw(st.sampled_from(sorted(ITEM_BYTES)))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    size = math.prod(shape) * ITEM_BYTES[dtype]
    return TensorBytes(dtype, shape, draw(st.binary(min_size=size, max_size=size)))


frames = st.tuples(st.dictionaries(st.text(max_size=8), json_values, max_size=4), st.lists(raw_tensors(), max_size=4))


@settings(max_examples=100, deadline=None)
@given(frames, st.integers(1, 40))
def test_a_frame_comes_out_as_it_went_in_however_it_is_cut(frame: tuple, chunk: int) -> None:
    """Reading in chunks of any size gives the frame back, byte for byte."""
    header, tensors = frame
    data = pack(header, tensors) * 2
    reader = FrameReader(Caps())
    found = [item for at in range(0, len(data), chunk) for item in reader.feed(data[at : at + chunk])]
    assert not reader.unfinished
    assert [list(map(tuple, item.tensors)) for item in found] == [[tuple(raw) for raw in tensors]] * 2
    assert all(item.kind is Kind.CASE for item in found)


@settings(max_examples=300, deadline=None)
@given(frames, st.data())
def test_mutated_frames_raise_nothing_but_wire_errors(frame: tuple, data: st.DataObject) -> None:
    """Whatever happens to the bytes, the reader says WireError or gives a frame whose tensors can be built."""
    mutated = bytearray(pack(*frame))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(mutated) - 1))
        mutated[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(mutated)))
    for candidate in (mutated, mutated[:cut], mutated + b"\0"):
        try:
            for raw in unpack(candidate).tensors:
                assert from_wire(raw).shape == raw.shape
        except WireError:
            continue


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_are_never_a_frame(data: bytes) -> None:
    """Bytes that nobody packed are refused."""
    with pytest.raises(WireError):
        unpack(data)


def hostile(count: int, header_bytes: int, body_bytes: int, rest: bytes = b"") -> bytes:
    return struct.pack("<4sBxHIQ", b"TUT1", Kind.CASE, count, header_bytes, body_bytes) + rest


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(hostile(0, 2**31, 0), id="huge header"),
        pytest.param(hostile(0, 0, 2**60), id="huge body"),
        pytest.param(hostile(65, 0, 8), id="too many tensors"),
    ],
)
def test_what_is_announced_too_large_is_refused_at_once(data: bytes) -> None:
    """Nothing is awaited or reserved for a frame beyond the caps."""
    with pytest.raises(TooBig):
        FrameReader(Caps(body_bytes=1_000)).feed(data)


def test_the_caps_hold_for_all_frames_together() -> None:
    """Many small frames cannot add up to more than one large one."""
    frame = pack({}, [TensorBytes("uint8", (400,), bytes(400))])
    reader = FrameReader(Caps(body_bytes=1_000))
    reader.feed(frame * 2)
    with pytest.raises(TooBig):
        reader.feed(frame)
    with pytest.raises(TooBig):
        FrameReader(Caps(frames=3)).feed(pack({}, []) * 4)


def test_a_shape_that_overflows_is_refused_even_without_a_byte() -> None:
    """A zero among huge sizes makes an empty tensor whose strides would overflow."""
    sizes = struct.pack("<BB6x4QQ", 0, 4, 0, 2**62, 2**62, 5, 0)
    with pytest.raises(TooBig):
        unpack(hostile(1, 0, len(sizes), sizes))


def test_bytes_that_do_not_fit_the_shape_are_refused_on_both_sides() -> None:
    """Neither packing nor reading lets a tensor lie about its size."""
    with pytest.raises(WireError, match="cannot have 3 bytes"):
        pack({}, [TensorBytes("float32", (1,), b"abc")])
    body = struct.pack("<BB6xQQ", 8, 1, 1, 3) + b"abc"
    with pytest.raises(WireError, match="cannot have 3 bytes"):
        unpack(hostile(1, 0, len(body), body))


@pytest.mark.parametrize("value", [math.nan, object(), {1, 2}])
def test_a_header_that_is_no_json_is_refused_where_it_is_written(value: object) -> None:
    """NaN and Python objects never reach the wire."""
    with pytest.raises(WireError, match="cannot be written as JSON"):
        pack({"value": value}, [])


def test_a_lone_surrogate_in_a_message_costs_that_character_only() -> None:
    """A student's message with half a surrogate pair still arrives as valid UTF-8."""
    assert unpack(pack({"m": "a\ud800b"}, [])).header == b'{"m":"a?b"}'


@pytest.mark.parametrize("name", sorted(ITEM_BYTES))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4)])
def test_tensors_of_every_kind_survive_the_trip(name: str, shape: tuple[int, ...]) -> None:
    """dtype, shape and every bit of the numbers arrive."""
    values = torch.arange(math.prod(shape)).reshape(shape).to(getattr(torch, name))
    raw = to_wire(values)
    assert isinstance(raw, TensorBytes)
    back = from_wire(unpack(pack({}, [raw])).tensors[0])
    assert back.dtype == values.dtype
    assert torch.equal(back, values)


def test_views_arrive_in_logical_order() -> None:
    """A transposed, sliced, conjugated or subclassed tensor arrives as what it looks like."""
    base = torch.randn(4, 6)
    for tensor in (
        base.T,
        base[1:, ::2],
        base.expand(2, 4, 6),
        torch.nn.Parameter(base),
        torch.randn(2, dtype=torch.cfloat).conj(),
    ):
        raw = to_wire(tensor)
        assert isinstance(raw, TensorBytes)
        assert torch.equal(from_wire(raw), tensor)


def test_a_bool_byte_is_true_when_it_is_not_zero() -> None:
    """A byte of 255 does not become a bool that is neither True nor False."""
    found = from_wire(TensorBytes("bool", (3,), b"\x00\x01\xff"))
    assert found.tolist() == [False, True, True]
    assert found.sum().item() == 2


@pytest.mark.parametrize(
    ("tensor", "word"),
    [
        pytest.param(torch.empty(2, device="meta"), "meta", id="meta"),
        pytest.param(torch.eye(2).to_sparse(), "sparse", id="sparse"),
        pytest.param(torch.empty(2, dtype=torch.uint16), "uint16", id="uint16"),
        pytest.param(torch.empty(2, dtype=torch.float8_e4m3fn), "float8", id="float8"),
    ],
)
def test_what_is_not_dense_numbers_is_described_instead(tensor: torch.Tensor, word: str) -> None:
    """A tensor that cannot be sent comes back as words for the student."""
    described = to_wire(tensor)
    assert isinstance(described, str)
    assert word in described
    assert refusal(tensor) == described


def test_a_tensor_inside_a_transform_is_described_instead() -> None:
    """A functorch wrapper has no storage of its own to send."""
    seen: list[object] = []

    def spy(row: torch.Tensor) -> torch.Tensor:
        seen.append(to_wire(row))
        return row * 2

    torch.func.vmap(spy)(torch.ones(2, 3))
    assert "without numbers of its own" in str(seen[0])
