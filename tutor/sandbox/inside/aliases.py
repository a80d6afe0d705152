"""Which role a parameter's name speaks of: contract names, other names seen in the wild, and the words these are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
NUMBER = re.compile(r"\d+")
JOINTS = str.maketrans("", "", "_-*.")
OUTPUT = frozenset({"out", "output", "wo"})
Rank = tuple[int, int, int]


class Aliases:
    """The names of an exercise's roles.

    Args:
        roles: the contract's name of each matrix → other names, the likeliest first.
    """

    def __init__(self, roles: Mapping[str, Sequence[str]]) -> None:
        self._whole = {
            role: {_plain(name): rank for rank, name in reversed(list(enumerate((role, *others))))}
            for role, others in roles.items()
        }
        words = {role: {word for name in (role, *others) for word in _words(name)} for role, others in roles.items()}
        # "proj" stands in names of every role and says nothing; "c" of c_proj is no word at all.
        self._words = {
            role: {word for word in mine if _tells(word, role) and not _shared(word, role, words)}
            for role, mine in words.items()
        }

    def rank(self, role: str, name: str) -> Rank | None:
        """How well a parameter's dotted name fits a role, smaller is better; None where it does not speak of the role.

        Any part of the name counts, in any case: ``layers.W_Q.weight``, ``proj.q.weight``, ``Attn.QProj.weight``.
        """
        found: list[Rank] = []
        for depth, part in enumerate(reversed(_parts(name))):
            if (alias := self._whole[role].get(_plain(part))) is not None:
                found.append((0, alias, depth))
            elif self._spoken(part) == [role]:
                found.append((1, 0, depth))
        return min(found, default=None)

    def order(self, name: str, roles: Sequence[str], count: int) -> tuple[str, ...]:
        """Which roles a fused matrix holds, in the order of its rows: as its name says (``kv``, ``key_value``), else as declared."""
        spoken = [role for role in self._spoken(name) if role in roles]
        if len(spoken) == count:
            return tuple(spoken)
        text = _plain(name)
        for some in permutations(roles, count):
            if "".join(_plain(role)[-1] for role in some) in text:
                return some
        inputs = [role for role in roles if not self.is_output(role)]
        return tuple(roles[:count] if count == len(roles) or len(inputs) < count else inputs[-count:])

    def is_output(self, role: str) -> bool:
        """Whether heads share out the inputs of this matrix rather than its outputs: it comes behind the attention."""
        return not OUTPUT.isdisjoint(self._whole[role])

    def _spoken(self, text: str) -> list[str]:
        """The roles a text speaks of, in the order of its words."""
        found = [role for word in _words(text) for role, mine in self._words.items() if word in mine]
        return list(dict.fromkeys(found))


def family(name: str) -> str:
    """What the names of a list have in common: ``heads.*.q.weight``, ``q_*.weight``."""
    return NUMBER.sub("*", name)


def _parts(name: str) -> list[str]:
    parts = [part for part in name.split(".") if part.strip("0123456789*")]
    return parts[:-1] if len(parts) > 1 and parts[-1] == "weight" else parts


def _plain(text: str) -> str:
    return text.lower().translate(JOINTS)


def _words(text: str) -> list[str]:
    return [_singular(word.lower()) for word in WORD.findall(text)]


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s") if len(word) > 1 else word


def _tells(word: str, role: str) -> bool:
    return len(word) > 1 or word == _plain(role)[-1]


def _shared(word: str, role: str, words: Mapping[str, set[str]]) -> bool:
    return any(word in others for other, others in words.items() if other != role)
