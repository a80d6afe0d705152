"""What a call must leave as it was: the caller's tensors, the weights, training flags and torch's random numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from .registry import modules, registered
from .tensors import same


class Watch:
    """Remembers a module as it stands and says what a call disturbed.

    Args:
        target: the module under observation, or a function, which has nothing to remember.
    """

    def __init__(self, target: Any) -> None:
        self._target = target if isinstance(target, nn.Module) else None
        self._names = list(self._parameters())
        with torch._C.DisableTorchFunctionSubclass():
            # A lazy layer has no numbers yet.
            self._weights = {name: p.detach().clone() for name, p in self._parameters().items() if not is_lazy(p)}
        self.before()

    def before(self) -> None:
        """Take note of flags and random state; right before a call."""
        self._flags = self._training()
        self._random = torch.get_rng_state()

    def disturbed(self, given: Mapping[str, torch.Tensor], original: Mapping[str, torch.Tensor]) -> list[str]:
        """What is not as it was; right after a call.

        Args:
            given: the tensors the call was given, by name.
            original: the same with the values they had.
        """
        now = self._parameters()
        found = [f"input:{name}" for name, tensor in given.items() if not same(tensor, original[name])]
        found += [f"weight:{name}" for name, was in self._weights.items() if name in now and not same(now[name], was)]
        if list(now) != self._names:
            found.append("parameters")
        if self._training() != self._flags:
            found.append("training")
        if not torch.equal(torch.get_rng_state(), self._random):
            found.append("random")
        return found

    def _parameters(self) -> dict[str, nn.Parameter]:
        return registered(self._target) if self._target is not None else {}

    def _training(self) -> list[bool]:
        if self._target is None:
            return []
        return [bool(vars(module).get("training")) for _, module, _ in modules(self._target)]
