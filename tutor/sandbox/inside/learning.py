"""What training would do: the gradient of a result with respect to weights or inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from .tensors import to_wire
from .wire import TensorBytes


def copies(originals: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What code may do with as it likes: it reaches neither what a later call is given nor, in place, what gradients arrive at."""
    with torch.enable_grad():
        return {name: tensor.clone() for name, tensor in originals.items()}


def gradients(output: Any, asked: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor | None]:
    """d(weighted sum of squares of ``output``)/d(each tensor asked for); None where nothing arrives."""
    report: dict[str, torch.Tensor | None] = dict.fromkeys(asked)
    live = {name: tensor for name, tensor in asked.items() if tensor.requires_grad and not is_lazy(tensor)}
    if not (live and isinstance(output, torch.Tensor) and not is_lazy(output) and output.requires_grad):
        return report
    try:
        with torch.enable_grad(), torch._C.DisableTorchFunctionSubclass():
            found = torch.autograd.grad(_loss(output), list(live.values()), allow_unused=True)
    except RuntimeError:
        # What backward needs was changed in place, or the output is complex: then nothing arrives.
        return report
    return report | dict(zip(live, found, strict=True))


def _loss(output: torch.Tensor) -> torch.Tensor:
    # By turns once, twice and three times: the plain sum of squares of anything normalised stays the same, whatever is learnt.
    shares = torch.arange(output.numel(), device=output.device).remainder(3).add(1).reshape(output.shape)
    return (output.square() * shares).sum()


def sent_along(found: Mapping[str, torch.Tensor | None], sent: list[TensorBytes]) -> dict[str, int | None]:
    """Append what can be sent to ``sent``, and say where it is; None where there is nothing."""
    report: dict[str, int | None] = dict.fromkeys(found)
    for name, gradient in found.items():
        encoded = None if gradient is None else to_wire(gradient)
        if isinstance(encoded, TensorBytes):
            sent.append(encoded)
            report[name] = len(sent) - 1
    return report
