"""torch tensors to and from the raw bytes of a frame, used on both sides of the wall."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from torch.nn.parameter import is_lazy

from .policy import TENSOR_DIMS
from .wire import ITEM_BYTES, TensorBytes

UNKNOWN: Final = (0,)
_WITH_NUMBERS: Final = frozenset({"cpu", "cuda"})
_NAME_OF: Final[Mapping[torch.dtype, str]] = {getattr(torch, name): name for name in ITEM_BYTES}


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """The shape, its first axes where there are very many; ``UNKNOWN`` where asking for it raises, as with lazy or nested tensors."""
    if is_lazy(tensor):
        return UNKNOWN
    try:
        with torch._C.DisableTorchFunctionSubclass():
            return tuple(int(size) for size in torch.Tensor.size(tensor)[:TENSOR_DIMS])
    except (RuntimeError, AttributeError, TypeError):
        return UNKNOWN


def same(tensor: torch.Tensor, was: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers, NaN being like NaN. Of two that let nobody read them, the kind is all there is to compare."""
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        if shape_of(tensor) != shape_of(was) or tensor.dtype != was.dtype or refusal(tensor) != refusal(was):
            return False
        if refusal(was) is not None or torch.equal(tensor, was):
            return True
        return bool(((tensor == was) | (tensor.isnan() & was.isnan())).all())


def refusal(tensor: torch.Tensor) -> str | None:
    """Why a tensor cannot be sent, as a noun phrase such as "a sparse tensor", or None if it can."""
    with torch._C.DisableTorchFunctionSubclass():
        if tensor.layout is not torch.strided or tensor.is_nested:
            return f"a {_layout(tensor)} tensor"
        if tensor.dim() > TENSOR_DIMS:
            return f"a tensor with {tensor.dim()} axes"
        if tensor.is_quantized:
            return "a quantised tensor"
        if tensor.device.type not in _WITH_NUMBERS:
            return f"a tensor on the device {tensor.device}"
        if tensor.dtype not in _NAME_OF:
            return f"a tensor of dtype {str(tensor.dtype).removeprefix('torch.')}"
    return None


def to_wire(tensor: torch.Tensor) -> TensorBytes | str:
    """The bytes of a dense tensor, or what it is instead (see ``refusal``).

    Raises:
        MemoryError: a contiguous copy of the tensor does not fit in memory.
    """
    what = refusal(tensor)
    if what is not None:
        return what
    try:
        with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
            dense = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
            nbytes = dense.numel() * dense.element_size()
            data = ctypes.string_at(dense.data_ptr(), nbytes) if nbytes else b""
            return TensorBytes(_NAME_OF[dense.dtype], tuple(dense.shape), data)
    except (RuntimeError, TypeError, NotImplementedError) as error:
        if "allocate" in str(error):
            raise MemoryError("A contiguous copy of the tensor does not fit in memory.") from error
        # Wrappers without storage of their own: functorch levels, fake tensors, tensor subclasses.
        return f"a tensor without numbers of its own ({type(tensor).__name__})"


def from_wire(raw: TensorBytes) -> torch.Tensor:
    """A CPU tensor that owns its memory. A bool byte counts as True when it is not zero, whatever it is."""
    dtype: torch.dtype = getattr(torch, raw.dtype)
    if 0 in raw.shape:
        return torch.empty(raw.shape, dtype=dtype)
    data = raw.data if isinstance(raw.data, bytearray) else bytearray(raw.data)
    if dtype is torch.bool:
        return torch.frombuffer(data, dtype=torch.uint8).ne(0).reshape(raw.shape)
    return torch.frombuffer(data, dtype=dtype).reshape(raw.shape)


def bundle(tensors: Sequence[torch.Tensor]) -> tuple[list[TensorBytes], list[Any]]:
    """Many small tensors as one flat tensor per dtype, and where each lies: a frame pays for each tensor it carries.

    Raises:
        TypeError: a tensor is not dense or has no numbers.
    """
    groups: dict[torch.dtype, list[torch.Tensor]] = {}
    shapes: list[Any] = []
    for tensor in tensors:
        what = refusal(tensor)
        if what is not None:
            raise TypeError(f"A job can carry dense CPU tensors only, not {what}.")
        group = groups.setdefault(tensor.dtype, [])
        shapes.append([list(groups).index(tensor.dtype), list(tensor.shape)])
        group.append(tensor.detach().reshape(-1))
    flat = (to_wire(torch.cat(group)) for group in groups.values())
    return [raw for raw in flat if not isinstance(raw, str)], shapes


def unbundle(flat: Sequence[TensorBytes], shapes: Sequence[Any]) -> list[torch.Tensor]:
    """The tensors that ``bundle`` was given, as views of the flat ones."""
    groups, offsets = [from_wire(raw) for raw in flat], [0] * len(flat)
    tensors = []
    for group, shape in shapes:
        start = offsets[group]
        offsets[group] = start + math.prod(shape)
        tensors.append(groups[group][start : offsets[group]].view(shape))
    return tensors


def _layout(tensor: torch.Tensor) -> str:
    name = str(tensor.layout).removeprefix("torch.")
    return "nested" if tensor.is_nested else name.replace("_", " ")
