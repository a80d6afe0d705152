"""A tensor that belongs to the module without being learned is held as a buffer, so that it moves and is saved with it, and is used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from checkers._shapes import given, named, plain, sizes
from checkers.base import About, Finding, Observation, Seen

NAME_CHARS = 120  # of a name on a tape
MOST = 4


def check(seen: Seen, expected: Seen, about: About, *, what: str, shape: str) -> Finding | None:
    """Content when a buffer has room for the tensor, in whatever shape, type and sense, and ``forward`` uses it (cases with ``tape``).

    Args:
        what: the tensor in words, such as ``"the mask"``.
        shape: of the tensor, in named axes; more numbers are no fault.
    """
    for case, observation in seen.items():
        dims = about.dims[case]
        least = math.prod(sizes(shape, dims))
        buffers = [one.name for one in observation.kept if one.buffer and math.prod(one.shape) >= least]
        if not buffers:
            return _elsewhere(observation, least, what, shape, dims)
        if observation.tape and not _used(observation, buffers):
            return _unused(buffers, what, about)
    return None


def _elsewhere(observation: Observation, least: int, what: str, shape: str, dims: Mapping[str, int]) -> Finding:
    wanted = f"a buffer of shape {named(shape, dims)}"
    learned = [one.name for one in observation.parameters if one.name in observation.unclaimed and one.numel >= least]
    if learned:
        return Finding(
            "non-weight-parameter",
            f"{_upper(what)} is kept as a parameter, {learned[0]}, so it counts as a weight and an optimiser may change it.",
            expected=wanted,
            actual=f"{learned[0]} among the parameters",
            next_step="nn.Parameter is for what is learned. What moves with the module and is not learned can be a buffer.",
        )
    attributes = [one.name for one in observation.kept if not one.buffer and math.prod(one.shape) >= least]
    if attributes:
        return Finding(
            "not-a-buffer",
            f"{_upper(what)} is kept as a plain attribute, {attributes[0]}: it stays behind when the module goes to another "
            "device, and state_dict does not know it.",
            expected=wanted,
            actual=f"{attributes[0]} as a plain attribute",
            next_step="nn.Module has a method that registers a tensor which belongs to it and is not learned.",
        )
    return Finding(
        "buffer-missing",
        f"With {given(dims)} the new module holds no buffer with {least:,} numbers, so {what} is not there before the first call.",
        expected=wanted,
        actual=_there(observation),
        next_step=f"Make {what} once, in __init__, as large as it can ever be needed, and register it as a buffer.",
    )


def _there(observation: Observation) -> str:
    buffers = [f"{one.name} {plain(one.shape)}" for one in observation.kept if one.buffer]
    return ", ".join(buffers[:MOST]) or "no buffer at all"


def _used(observation: Observation, buffers: Sequence[str]) -> bool:
    names = {f"buffer:{name}"[:NAME_CHARS] for name in buffers}
    return any(not names.isdisjoint(map(str, step.takes)) for step in observation.tape)


def _unused(buffers: Sequence[str], what: str, about: About) -> Finding:
    return Finding(
        "buffer-unused",
        f"The buffer {buffers[0]} is there, but {about.called} never uses it, so {what} that counts is another one or none.",
        expected=f"{about.called} reads self.{buffers[0]}",
        actual=f"no operation takes {buffers[0]}",
        next_step=f"Use the buffer in {about.called} instead of making {what} anew in every call.",
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
