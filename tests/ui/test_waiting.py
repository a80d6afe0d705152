"""What is said about checks that did not run."""

from __future__ import annotations

from tests.ui.fakes import exercise, verdict
from tutor.ui.waiting import awaited_titles


def test_a_chain_of_needs_ends_at_the_check_that_failed() -> None:
    """A check waits for the failed check at the root, not for another one that waits as well."""
    task = exercise()
    found = awaited_titles(task, verdict(task, "view(B, h, T"))
    assert set(found) == {"causal/causal-1", "causal/causal-2"}
    assert set(found.values()) == {"With h > 1 the output equals the reference"}
    far = awaited_titles(task, verdict(task, "nothing right"))
    assert far["causal/causal-2"] == "The names are W_Q, W_K, W_V and W_O"


def test_nothing_waits_when_everything_passed() -> None:
    """A verdict without failures has nothing to wait for."""
    task = exercise()
    assert awaited_titles(task, verdict(task, "passes")) == {}
