"""Observations become outcomes. Pure: the same observations always give the same assessment.

Checks form a graph: one whose need did not pass is ``not_run``, never failed. A case that did not return fails the check that
looks at it, worded by ``tutor.explain``, unless the kind of check judges endings itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from checkers import load_kind
from checkers.base import About, Ending, Finding, Observation, Seen, Stage
from tutor.content import Check, Exercise, Milestone
from tutor.explain import NOT_YOURS, explain
from tutor.legible import as_read, legible
from tutor.model import Assessment, CheckOutcome, ErrorReport, MilestoneOutcome, Refusal, Status


def assess(exercise: Exercise, source: str, seen: Seen, expected: Seen) -> Assessment:
    """Judge one submission.

    Args:
        exercise: what was asked.
        source: the submission's text.
        seen: case name → what the submission did; cases that were never reached are absent.
        expected: case name → what the reference did.
    """
    titles = {f"{m.id}/{check.id}": check.title for m in exercise.milestones for check in m.checks}
    readable, seen = legible(source, seen), as_read(source, seen)
    judgement = _Judgement(facts(exercise, readable), seen, expected, titles)
    milestones = tuple(judgement.milestone(milestone) for milestone in exercise.milestones)
    passed = all(milestone.status is Status.PASSED for milestone in milestones)
    stopped = judgement.stopped[0] if judgement.stopped else None
    return Assessment(
        status=Status.PASSED if passed else Status.FAILED,
        ending=stopped.ending if stopped else Ending.RETURNED,
        milestones=milestones,
        error=_error(stopped, judgement.about) if stopped else None,
        case=stopped.case if stopped else "",
    )


def refuse(exercise: Exercise, refusal: Refusal) -> Assessment:
    """The assessment of a text that cannot be run at all: it fails the first check, and nothing else is run."""
    first, *rest = _all_alike(exercise.milestones, Status.NOT_RUN)
    check, *others = first.checks
    finding = Finding(
        refusal.code, refusal.message, "a text that Python can read", "no such text", refusal.next_step, refusal.line
    )
    opened = first.model_copy(update={"status": Status.FAILED, "checks": (_failed(check, finding), *others)})
    explanation = f"{refusal.message} {refusal.next_step}"
    error = ErrorReport(type="Refused", message=refusal.message, line=refusal.line, explanation=explanation)
    return Assessment(status=Status.FAILED, ending=Ending.DID_NOT_LOAD, milestones=(opened, *rest), error=error)


def give_up(milestones: Sequence[Milestone], reason: str) -> Assessment:
    """The assessment when we could not finish; ``reason`` is for the operator."""
    return Assessment(
        status=Status.BROKEN,
        ending=Ending.KILLED,
        milestones=_all_alike(milestones, Status.BROKEN),
        error=ErrorReport(type="Broken", message=reason, explanation=NOT_YOURS),
    )


def _all_alike(milestones: Sequence[Milestone], status: Status) -> tuple[MilestoneOutcome, ...]:
    return tuple(
        MilestoneOutcome(
            id=milestone.id,
            title=milestone.title,
            status=status,
            checks=tuple(CheckOutcome(id=check.id, title=check.title, status=status) for check in milestone.checks),
        )
        for milestone in milestones
    )


def facts(exercise: Exercise, source: str = "") -> About:
    """What checks may know of an exercise and of the submission's text."""
    return About(
        entry=exercise.entry.name,
        roles={role.name: role.shape for role in exercise.roles},
        returns=exercise.entry.returns,
        dims={case.name: case.dims for case in exercise.cases},
        forbidden_calls=exercise.forbidden_calls,
        again={case.name: tuple(again.dims for again in case.again) for case in exercise.cases if case.again},
        source=source,
        kind=exercise.entry.kind,
        arguments={case.name: case.arguments for case in exercise.cases if case.arguments},
        dtypes={case.name: case.dtype for case in exercise.cases if case.dtype != "float32"},
        biases={case.name: biases for case in exercise.cases if (biases := exercise.biases(case))},
    )


def overall(outcomes: Sequence[CheckOutcome]) -> Status:
    """The status of a milestone: the gravest of its checks."""
    statuses = {outcome.status for outcome in outcomes}
    for status in (Status.BROKEN, Status.FAILED, Status.NOT_RUN):
        if status in statuses:
            return status
    return Status.PASSED


@dataclass
class _Judgement:
    """One walk along the check graph. What is below ``titles`` fills up as it goes."""

    about: About
    seen: Seen
    expected: Seen
    titles: Mapping[str, str]
    current: str = ""
    done: dict[str, Status] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    stopped: list[Observation] = field(default_factory=list)

    def milestone(self, milestone: Milestone) -> MilestoneOutcome:
        outcomes: list[CheckOutcome] = []
        self.current = f"{milestone.id}/"
        for check in milestone.checks:
            outcomes.append(self.outcome(check))
            self.done[self.current + check.id] = outcomes[-1].status
        return MilestoneOutcome(
            id=milestone.id, title=milestone.title, status=overall(outcomes), checks=tuple(outcomes)
        )

    def outcome(self, check: Check) -> CheckOutcome:
        waits = [need for need in check.needs if self.done[need] is not Status.PASSED]
        if waits:
            return self._waits(check, waits[0])
        mine = {case: self.seen[case] for case in check.cases if case in self.seen}
        kind = load_kind(check.kind)
        ended = next((case for case in mine.values() if case.ending is not Ending.RETURNED), None)
        if ended is not None and not (kind.judges_endings and ended.ending is Ending.RAISED):
            return self._stopped(check, ended)
        if len(mine) < len(check.cases):
            return self._never_reached(check)
        reference = {case: self.expected[case] for case in check.cases} if kind.uses_reference else {}
        finding = kind.check(mine, reference, self.about, **check.options)
        if finding is not None:
            return _failed(check, finding)
        return CheckOutcome(id=check.id, title=check.title, status=Status.PASSED)

    def _waits(self, check: Check, need: str) -> CheckOutcome:
        """Not run, naming the check at the root of it rather than another one that waits itself."""
        root = self.roots.get(need, need)
        self.roots[self.current + check.id] = root
        return _not_run(check, f"Waits for “{self.titles[root]}”.")

    def _stopped(self, check: Check, ended: Observation) -> CheckOutcome:
        self.stopped.append(ended)
        return _failed(check, _stop(ended, self.about))

    def _never_reached(self, check: Check) -> CheckOutcome:
        """A case that was never reached lies behind one that ended the run; whichever check meets that first carries it."""
        last = list(self.seen.values())[-1]
        if last.ending is Ending.RETURNED or any(last is known for known in self.stopped):
            return _not_run(check, "Was not reached, because the run ended before.")
        return self._stopped(check, last)


def _not_run(check: Check, why: str) -> CheckOutcome:
    return CheckOutcome(id=check.id, title=check.title, status=Status.NOT_RUN, message=why)


def _failed(check: Check | CheckOutcome, finding: Finding) -> CheckOutcome:
    return CheckOutcome(
        id=check.id,
        title=check.title,
        status=Status.FAILED,
        message=finding.message,
        expected=finding.expected,
        actual=finding.actual,
        next_step=finding.next_step,
        code=finding.code,
        line=finding.line,
    )


def _stop(observation: Observation, about: About) -> Finding:
    meaning, fault = explain(observation, about), observation.fault
    return Finding(
        code=observation.ending.value,
        message=meaning.message,
        expected=f"the file runs and defines {about.entry}"
        if observation.stage is Stage.LOAD
        else "the code runs to its end",
        actual=_seen(observation),
        next_step=meaning.next_step,
        line=(fault.line if fault else None) or meaning.line,
    )


def _seen(observation: Observation) -> str:
    fault = observation.fault
    if observation.ending in (Ending.RAISED, Ending.DID_NOT_LOAD) and fault is not None:
        return "no such name" if fault.type == "MissingEntry" else f"{fault.type}: {fault.message}"[:400]
    if observation.ending is Ending.TIMED_OUT:
        return f"stopped after {observation.seconds:.1f} seconds"
    return "out of memory" if observation.ending is Ending.OUT_OF_MEMORY else "the process ended"


def _error(observation: Observation, about: About) -> ErrorReport:
    meaning, fault = explain(observation, about), observation.fault
    return ErrorReport(
        type=fault.type if fault else observation.ending.value,
        message=fault.message if fault else meaning.message,
        line=(fault.line if fault else None) or meaning.line,
        explanation=f"{meaning.message} {meaning.next_step}",
    )
