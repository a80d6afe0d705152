"""Reading a tape: what a step builds on, whose memory it shares, and on which line something happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checkers.base import Step

# Operations that look at the numbers of what they are given in another way, so that writing to the one writes to the other.
VIEWS = frozenset({
    "view", "reshape", "transpose", "permute", "movedim", "moveaxis", "swapaxes", "swapdims", "unflatten", "flatten", "squeeze",
    "unsqueeze", "expand", "expand_as", "view_as", "narrow", "select", "unbind", "chunk", "split", "unfold", "__getitem__", "T",
    "mT", "t", "data", "detach", "contiguous", "to", "float", "type_as", "requires_grad_",
})  # fmt: skip
RANDOM = frozenset({
    "Dropout", "dropout", "dropout_", "alpha_dropout", "feature_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d", "dropout3d",
    "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal", "normal_", "uniform_",
    "bernoulli", "bernoulli_", "multinomial", "exponential_", "manual_seed", "seed", "rrelu", "gumbel_softmax",
})  # fmt: skip

# The same where a name that stands alone is an argument of the constructor just as likely.
DRAWN = RANDOM - {"dropout"} | {".dropout"}


def first_line(tape: Sequence[Step], wanted: Callable[[Step], bool]) -> int | None:
    """The line of the first step that is wanted and has one."""
    return next((step.line for step in tape if step.line is not None and wanted(step)), None)


def ancestors(tape: Sequence[Step], number: int) -> set[int | str]:
    """Everything a step builds on: earlier steps by number, inputs and weights by name."""
    found: set[int | str] = set()
    waiting: list[int | str] = [number]
    while waiting:
        one = waiting.pop()
        sources = tape[one].takes if isinstance(one, int) else ()
        waiting += [source for source in sources if source not in found]
        found.update(sources)
    return found


def owner(tape: Sequence[Step], source: int | str) -> str | None:
    """The input or weight whose memory a tensor shares, or None where it has its own."""
    while isinstance(source, int):
        step = tape[source]
        if not step.takes or not (step.name in VIEWS or in_place(step)):
            return None
        source = step.takes[0]
    return source


def in_place(step: Step) -> bool:
    """Whether a step writes to the first tensor it is given."""
    return step.name == "__setitem__" or (step.name.endswith("_") and not step.name.startswith("_"))


def written_to(tape: Sequence[Step], names: frozenset[str]) -> int | None:
    """The line of the first step that writes to one of these inputs or weights, through a view perhaps."""
    return first_line(tape, lambda step: bool(step.takes) and in_place(step) and owner(tape, step.takes[0]) in names)
