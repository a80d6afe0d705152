"""Weights made by hand: four heads of which everybody can foretell where they look.

A word has two features that are 1: its place in the sentence, and which word it is. A head's queries and keys pick the features by
which it looks, its values copy the place. So the output of a head at a word, number u, is the weight that the word gives to word u: whoever
returns no weights shows them all the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from tutor.trials import WORDS

# What the heads look for, in their order.
LOOKS = ("the word one place before", "the same word", "the first word", "every word alike")
# What a head that looks for one word of the sentence gives to it.
SHARE = 0.9
_PLACES, _NAMES = range(WORDS), range(WORDS, 2 * WORDS)


def sentence(words: Sequence[str], width: int) -> torch.Tensor:
    """The features of the words, (T, width), the same for a word wherever it stands; large and small letters make no other word."""
    plain = [word.casefold() for word in words]
    known = sorted(set(plain))
    made = torch.zeros(len(plain), width)
    for place, word in enumerate(plain):
        made[place, _PLACES[place]] = made[place, _NAMES[known.index(word)]] = 1
    return made


def projection(kind: str, tokens: int, d_k: int, width: int) -> torch.Tensor:
    """A matrix as ``nn.Linear`` holds it, (4 * d_k, width), the heads one below the other.

    Args:
        kind: what it makes: ``queries``, ``keys`` or ``values``; ``output`` lets through what the heads made.
        tokens: number of words that are looked at.
        d_k: width of a head, as many numbers as there may be words or more.
        width: of what comes in.
    """
    match kind:
        case "queries":
            return _queries(_strength(tokens, d_k), d_k, width).flatten(0, 1)
        case "keys":
            return _keys(d_k, width).flatten(0, 1)
        case "values":
            return _copied(_PLACES, d_k, width).repeat(len(LOOKS), 1)
        case "output":
            return torch.eye(len(LOOKS) * d_k, width)
    raise ValueError(kind)


def _strength(tokens: int, d_k: int) -> float:
    """What a query is multiplied by, so that after the division by sqrt(d_k) one word of so many gets its share."""
    return math.log(SHARE / (1 - SHARE) * (tokens - 1)) * math.sqrt(d_k)


def _queries(strength: float, d_k: int, width: int) -> torch.Tensor:
    before, same, first, alike = torch.zeros(len(LOOKS), d_k, width)
    for place in _PLACES:
        before[max(place - 1, 0), place] = first[0, place] = 1
    same.copy_(_copied(_NAMES, d_k, width))
    return strength * torch.stack([before, same, first, alike])


def _keys(d_k: int, width: int) -> torch.Tensor:
    place, name = _copied(_PLACES, d_k, width), _copied(_NAMES, d_k, width)
    return torch.stack([place, name, place, torch.zeros(d_k, width)])


def _copied(features: Sequence[int], d_k: int, width: int) -> torch.Tensor:
    made = torch.zeros(d_k, width)
    made[range(len(features)), features] = 1
    return made
