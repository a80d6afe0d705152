"""What a check that did not run is waiting for: the check at the root of its chain of needs that is not right."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.model import CheckOutcome, Exercise, Status, Verdict


def awaited_titles(exercise: Exercise, verdict: Verdict) -> Mapping[str, str]:
    """Map ``milestone/check`` of every check that did not run to the title of what it waits for, "" where that is unknown."""
    outcomes = {f"{one.id}/{check.id}": check for one in verdict.milestones for check in one.checks}
    needs = {
        f"{one.id}/{check.id}": tuple(need if "/" in need else f"{one.id}/{need}" for need in check.needs)
        for one in exercise.milestones
        for check in one.checks
    }
    waiting = (name for name, outcome in outcomes.items() if outcome.status is Status.NOT_RUN)
    return {name: _root(name, outcomes, needs, frozenset()) for name in waiting}


def _root(
    name: str, outcomes: Mapping[str, CheckOutcome], needs: Mapping[str, tuple[str, ...]], seen: frozenset[str]
) -> str:
    for need in needs.get(name, ()):
        outcome = outcomes.get(need)
        if outcome is None or need in seen or outcome.status is Status.PASSED:
            continue
        if outcome.status is not Status.NOT_RUN:
            return outcome.title
        deeper = _root(need, outcomes, needs, seen | {name})
        if deeper:
            return deeper
    return ""
