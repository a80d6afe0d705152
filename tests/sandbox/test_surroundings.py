"""Namespaces and the empty root where the system goes only half of the way."""

from __future__ import annotations

from tutor.sandbox.inside.layers import in_a_child
from tutor.sandbox.inside.surroundings import NO_NAMESPACES, enter_namespaces

NEW_USER = 0x10000000


class HalfWilling:
    """As on Ubuntu 24.04: anybody may make a user namespace, and nobody may say who is who in it."""

    def unshare(self, kinds: int) -> int:
        return 0 if kinds & NEW_USER else -1


def test_a_user_namespace_that_cannot_be_used_is_not_entered() -> None:
    """It is tried in a process that is thrown away, so that ours keeps its rights, and the layer is missing with a reason."""
    layer = enter_namespaces(HalfWilling())
    assert (layer.on, layer.detail) == (False, NO_NAMESPACES)


def test_a_trial_in_a_child_says_whether_it_worked() -> None:
    """What raises there did not work; what works there has changed nothing here."""
    kept: list[int] = []
    assert in_a_child(lambda: kept.append(1))
    assert not in_a_child(lambda: kept.index(1))
    assert kept == []
