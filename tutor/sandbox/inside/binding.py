"""Which parameters of a module hold which role of the contract: by the contract's names, else by other known names and by shape.

A module may keep its matrices under other names, bare, fused into one or cut into one per head. All of these break the contract
at one point only, so they are found here, and everything else can be judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from torch import nn
from torch.nn.modules import container

from .aliases import Aliases, family
from .biases import biases
from .cutting import Places, Shape, Stored, fused, per_head, whole
from .places import Binding, Place
from .registry import Entry, Slot, describe, hidden, slots
from .tensors import UNKNOWN

Roles = Mapping[str, Sequence[str]]
T = TypeVar("T")


def bind(module: nn.Module, roles: Roles, shapes: Mapping[str, Sequence[int]], source: str = "") -> Binding:
    """Find a place for every role.

    Args:
        module: a freshly built module.
        roles: the contract's name of each matrix → other names seen in the wild, the likeliest first.
        shapes: the contract's name of each matrix → its shape; ``ROLE.bias`` → that of its bias, where it has one.
        source: the submission's text; it tells which way round a bare parameter is used.
    """
    held = slots(module)
    entries = describe({name: parameter for name, parameter, _ in held})
    sizes = {role: tuple(shapes[role]) for role in roles}
    places = _by_contract(held, entries, sizes) or _by_attribute(module, held, entries, sizes)
    if places is None:
        places = _Search(held, entries, roles, sizes, source).places
    unknown = () if all(places.values()) else hidden(module, sizes.values())
    wanted = {name: tuple(shape) for name, shape in shapes.items() if name not in roles}
    if wanted:
        places |= biases(entries, places, wanted, Aliases(roles))
    return Binding(entries, sizes | wanted, places, unknown)


def _by_contract(
    held: Sequence[Slot], entries: Sequence[Entry], sizes: Mapping[str, Shape]
) -> dict[str, Places] | None:
    """The usual case, without a search: a linear layer of the right shape under each name of the contract."""
    fitting = {
        name: entry["shape"]
        for (name, _, owner), entry in zip(held, entries, strict=True)
        if isinstance(owner, nn.Linear)
    }
    if any(fitting.get(f"{role}.weight") != list(shape) for role, shape in sizes.items()):
        return None
    return {role: (Place(f"{role}.weight"),) for role in sizes}


def _by_attribute(
    module: nn.Module, held: Sequence[Slot], entries: Sequence[Entry], sizes: Mapping[str, Shape]
) -> dict[str, Places] | None:
    """Layers that are registered elsewhere and answer to the contract's names as attributes, through properties say."""
    names = {name for name, _, _ in held}
    layers = {
        id(owner): (name, tuple(entry["shape"]))
        for (name, _, owner), entry in zip(held, entries, strict=True)
        if isinstance(owner, nn.Linear) and len(entry["shape"]) > 1
    }
    places: dict[str, Places] = {}
    for role, shape in sizes.items():
        layer: object = None
        with suppress(Exception):  # a property may raise whatever it likes
            layer = getattr(module, role)
        name, size = layers.get(id(layer), ("", ()))
        if size != shape or f"{role}.weight" in names - {name}:
            return None
        places[role] = (Place(name, shown=f"{role}.weight"),)
    return places if len({found[0].name for found in places.values()}) == len(places) else None


class _Search:
    """One search, from certain to likely; what one step has claimed, the next ones leave alone."""

    def __init__(
        self, held: Sequence[Slot], entries: Sequence[Entry], roles: Roles, sizes: Mapping[str, Shape], source: str
    ) -> None:
        self.places: dict[str, Places] = dict.fromkeys(roles, ())
        self._aliases, self._sizes = Aliases(roles), sizes
        self._original = {entry["name"]: entry["same_as"] or entry["name"] for entry in entries}
        self._all = [
            Stored(name, tuple(entry["shape"]), _fixed(owner), source)
            for (name, _, owner), entry in zip(held, entries, strict=True)
        ]
        # What the heads' results go through has the vaguest names ("proj", "fc"), so it chooses last.
        self._roles = sorted(roles, key=self._aliases.is_output)
        self._contract()
        self._named()
        self._by_head()
        self._fused()
        self._in_parts()
        self._contract(fits=False)
        self._strangers(once=True)
        self._strangers(once=False)
        self._misshapen()

    def _open(self) -> list[str]:
        return [role for role in self.places if not self.places[role]]

    def _free(self) -> list[Stored]:
        claimed = {place.name for places in self.places.values() for place in places}
        return [stored for stored in self._all if stored.name not in claimed]

    def _whole(self, role: str, stored: Stored) -> Places:
        return whole(stored, self._sizes[role], output=self._aliases.is_output(role))

    def _cut(self, role: str, members: Sequence[Stored]) -> Places:
        return per_head(members, self._sizes[role], output=self._aliases.is_output(role))

    def _contract(self, *, fits: bool = True) -> None:
        for role in self._open():
            for stored in self._free():
                if stored.name in (f"{role}.weight", role) and not self.places[role]:
                    self.places[role] = self._whole(role, stored) if fits else (Place(stored.name, fits=False),)

    def _named(self) -> None:
        for role in self._roles:
            fitting = [stored for stored in self._free() if not self.places[role] and self._whole(role, stored)]
            # Of a list of whole matrices none is meant more than the others.
            single = [members[0] for members in _families(fitting).values() if len(members) == 1]
            best = self._best(role, {stored.name: stored for stored in single})
            if best is not None:
                self.places[role] = self._whole(role, best)

    def _by_head(self) -> None:
        for role in self._roles:
            families = {} if self.places[role] else _families(self._free())
            best = self._best(role, {name: m for name, m in families.items() if len(m) > 1 and self._cut(role, m)})
            if best is not None:
                self.places[role] = self._cut(role, best)

    def _fused(self) -> None:
        for stored in self._free():
            # A role that some other matrix is named after is not looked for here, even if that one has the wrong shape.
            others = [other.name for other in self._free() if other is not stored and len(other.shape) > 1]
            roles = [r for r in self._open() if not any(self._aliases.rank(r, name) for name in others)]
            for count in range(len(roles), 1, -1):
                found = fused(stored, self._aliases.order(stored.name, roles, count), self._sizes)
                if found:
                    self.places |= found
                    break

    def _in_parts(self) -> None:
        """One role alone is left, and all matrices that are, one under the other, are as large: what should be fused is not."""
        matrices = [stored for stored in self._free() if len(stored.shape) > 1]
        for role in self._open():
            found = self._cut(role, matrices) if len(self._open()) == 1 and len(matrices) > 1 else ()
            if found and not any(stored.name == f"{role}.weight" for stored in matrices):
                self.places[role] = found

    def _strangers(self, *, once: bool) -> None:
        """As many matrices left as roles: they belong together in the order of declaration, whatever they are called."""
        items, roles = list(self._left(once=once)), self._open()
        if len(items) == len(roles):
            pairs = zip(roles, items, strict=True)
            found = {role: self._cut(role, m) if len(m) > 1 else self._whole(role, m[0]) for role, m in pairs}
            if all(found.values()):
                self.places |= found

    def _left(self, *, once: bool) -> Iterator[list[Stored]]:
        """What could hold a role by its shape: single matrices and lists with one per head, no object twice if ``once``."""
        met = (
            {self._original[place.name] for places in self.places.values() for place in places} if once else set[str]()
        )
        families = _families(self._free())
        for stored in self._free():
            members = families[family(stored.name)]
            if once and self._original[stored.name] in met:
                continue
            if any(self._whole(role, stored) for role in self._open()):
                met.add(self._original[stored.name])
                yield [stored]
            elif stored is members[0] and len(members) > 1 and any(self._cut(role, members) for role in self._open()):
                yield members

    def _misshapen(self) -> None:
        """A matrix that is meant for a role by its name but cannot hold it; what is wrong with it is then said."""
        for role in self._roles:
            matrices = [stored for stored in self._free() if len(stored.shape) > 1 or stored.shape == UNKNOWN]
            best = self._best(role, {} if self.places[role] else _families(matrices))
            if best is not None:
                self.places[role] = tuple(Place(stored.name, fits=False) for stored in best)

    def _best(self, role: str, named: Mapping[str, T]) -> T | None:
        """What speaks of the role most clearly by its name; of equals, what was declared first."""
        ranks = {name: rank for name in named if (rank := self._aliases.rank(role, name)) is not None}
        return named[min(ranks, key=lambda name: ranks[name])] if ranks else None


def _fixed(owner: nn.Module) -> bool:
    """Whether torch's own code uses the parameter; a container only keeps it for somebody else."""
    kind = type(owner)
    library = (
        kind.__module__.startswith("torch.nn.") and kind.__module__ != container.__name__ and kind is not nn.Module
    )
    return library or isinstance(owner, nn.Linear)


def _families(stored: Sequence[Stored]) -> dict[str, list[Stored]]:
    found: dict[str, list[Stored]] = {}
    for one in stored:
        found.setdefault(family(one.name), []).append(one)
    return found
