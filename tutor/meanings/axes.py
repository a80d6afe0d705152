"""Sizes get the names they have in a case: ``(2, 7, 3, 5)`` is ``(B, T_q, h, d_k)``. Where it is in doubt the number stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# An exercise may call its arguments what it likes; in the sizes of its cases these are the names.
BATCH, HEADS, WIDTH = "B", "h", "d_model"
LENGTHS = ("T", "T_q", "T_k")


def with_head_width(dims: Mapping[str, int]) -> dict[str, int]:
    """The sizes, and ``d_k`` among them where the heads share the width evenly and it is not there yet."""
    heads, width = dims.get(HEADS, 0), dims.get(WIDTH, 0)
    shared = {"d_k": width // heads} if heads and width and width % heads == 0 else {}
    return {**shared, **dims} if "d_k" in dims else {**dims, **shared}


class Axes:
    """The named sizes of one case.

    Args:
        dims: the value of every named axis; the width of a head is added where width and heads are there.
    """

    def __init__(self, dims: Mapping[str, int]) -> None:
        dims = with_head_width(dims)
        self.heads = HEADS if HEADS in dims else ""
        lengths = [name for name in LENGTHS if name in dims]
        self._shared = len(lengths) > 1 and len({dims[name] for name in lengths}) == 1
        self.lengths = ("T",) if self._shared else tuple(lengths)
        self.dims = dims
        ahead = list(dims)[: list(dims).index(lengths[0])] if lengths else [BATCH]
        self._front = tuple(name for name in ahead if name != self.heads)
        kept = {name: size for name, size in dims.items() if not (self._shared and name in lengths)}
        self._sizes = {**kept, "T": dims[lengths[0]]} if self._shared else kept

    @property
    def front(self) -> frozenset[str]:
        """The axes that stand in front: the batch, as a rule."""
        return frozenset(self._front)

    def __str__(self) -> str:
        """``B = 2, T_q = 7, …``, in the order of the case."""
        return ", ".join(f"{name} = {size}" for name, size in self.dims.items())

    def shape(self, shape: Sequence[int], *, products: bool = True) -> str:
        """``(2, 7, 15) = (B, T_q, d_model)``, or the numbers alone where none has a name."""
        names, plain = self.names(shape, products=products), str(tuple(shape))
        known = any(not name.isdigit() for name in names)
        return f"{plain} = ({', '.join(names)}{',' * (len(names) == 1)})" if known else plain

    def size(self, shape: Sequence[int], axis: int) -> str:
        """``d_k = 5``, or ``5`` where that axis has no name."""
        name = self.names(shape)[axis]
        return name if name.isdigit() else f"{name} = {shape[axis]}"

    def names(self, shape: Sequence[int], *, products: bool = True) -> tuple[str, ...]:
        """One name per axis, a number where none is certain."""
        names: list[str] = []
        for axis, size in enumerate(shape):
            name = self._name(shape, axis, names)
            if not name and products and size not in self._sizes.values():
                name = self._product(size, axis, len(shape))
            names.append(name or str(size))
        return tuple(names)

    def _name(self, shape: Sequence[int], axis: int, before: Sequence[str]) -> str:
        """The name that this size has at this place; neither batch nor heads come twice, and heads come last only behind turned features."""
        fits = [name for name, size in self._sizes.items() if size == shape[axis] > 1]
        end = axis == len(shape) - 1
        if len(shape) == 2 and shape[0] == shape[1] and not {"d_k", *self._front}.isdisjoint(fits):
            return ""  # a mask or a buffer of a fixed size just as likely
        if len(fits) > 1:
            return self._choose(fits, shape, axis, before)
        name = fits[0] if fits else ""
        if len(shape) == 1 and name in self._front:
            return ""
        once = name in (*self._front, self.heads)
        if once and (
            name in before or (name == self.heads and len(shape) < 4 and (end or shape[-1] == self._sizes.get(WIDTH)))
        ):
            return ""
        joined = axis == 0 and name not in self._front and self._product(shape[0], 0, len(shape))
        return "" if joined else name

    def _choose(self, fits: Sequence[str], shape: Sequence[int], axis: int, before: Sequence[str]) -> str:
        """Among names of one size, the one that belongs at this place: the batch in front, a width at the end; "" if in doubt."""
        lengths = [name for name in fits if name in self.lengths]
        widths = [name for name in fits if name not in (*self._front, self.heads, *self.lengths)]
        if widths and (len(widths) == len(fits) or (axis == len(shape) - 1 and not lengths)):
            return "d_k" if "d_k" in widths and len(shape) > 3 else widths[0]
        if axis == 0:
            return next((name for name in fits if name in self._front and not lengths and len(shape) > 2), "")
        left = [name for name in fits if name not in self._front and not (name == self.heads and name in before)]
        return left[0] if len(left) == 1 else ""

    def _product(self, size: int, axis: int, axes: int) -> str:
        """``B·h`` in front and ``3·d_model`` at the end: the products that attention code really forms, if just one of them fits."""
        found: set[str] = set()
        if axis == 0 and axes <= 3:
            others = (self.heads, *self.lengths) if axes == 3 else self.lengths
            found = {f"{BATCH}·{other}" for other in others if self._times(BATCH, other) == size}
        elif axis == axes - 1:
            found = {f"{length}·d_k" for length in self.lengths if self._times(length, "d_k") == size}
            found |= {f"3·{WIDTH}"} if 3 * self._sizes.get(WIDTH, 0) == size else set()
            found |= {f"{self.heads}·{WIDTH}"} if self._times(self.heads, WIDTH) == size else set()
        elif axes == 3:
            found = {f"{length}·{self.heads}" for length in self.lengths if self._times(length, self.heads) == size}
        return found.pop() if len(found) == 1 else ""

    def _times(self, one: str, other: str) -> int:
        factors = self._sizes.get(one, 0), self._sizes.get(other, 0)
        return factors[0] * factors[1] if min(factors) > 1 else -1
