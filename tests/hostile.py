"""What a worker that obeys nobody may send within the caps, and the whole trusted path over it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from checkers.base import Call, Observation, Seen
from tutor.content import Exercise
from tutor.diagnose import Diagnoser, Explained
from tutor.expected import Reference
from tutor.judge import assess
from tutor.model import Assessment, Status
from tutor.observing import observations, observe_here
from tutor.placing import with_places
from tutor.planning import Plan, plan
from tutor.sandbox.inside.tensors import from_wire, to_wire
from tutor.sandbox.inside.wire import Caps, FrameReader, TensorBytes, pieces
from tutor.sandbox.run import Frame, Run
from tutor.settings import Settings
from tutor.situations import Situation, situations

# What acts or hides: in a terminal, on a page, in a log.
INVISIBLE = (
    "\x00\x07\x08\x1b[2J\x7f\x9b\u200b\u200d\u202e\u2066\u2069\u2028\u2029\ufeff\u2060\u00ad\u061c\U000e0041\u3164"
)
MARKUP = "<img src=x onerror=alert(1)> [l](javascript:alert(1)) :material/home: :red[x] :streamlit: $x$ # **b** ``` [bold]b[/bold] www.a.example"


@dataclass
class Trusted:
    """One exercise on the trusted side: what is planned, what the right answer does, and what explains failures."""

    exercise: Exercise
    plan: Plan
    reference: Reference
    diagnoser: Diagnoser
    right: dict[str, Observation] = field(default_factory=dict)

    @classmethod
    def of(cls, exercise: Exercise) -> Trusted:
        reference, planned = Reference(exercise), plan(exercise, 11)
        right = dict(observe_here(planned, exercise.reference))
        return cls(exercise, planned, reference, reference.diagnoser(exercise), right)

    def judge(self, source: str, seen: Seen) -> tuple[Assessment, Explained]:
        """As in ``tutor.checking``: judge, and explain what failed."""
        assessment = assess(self.exercise, source, seen, self.reference.observe(self.plan))
        if assessment.status is Status.PASSED:
            return assessment, Explained(None)
        explained = self.diagnoser.explain(self.plan, source, seen, assessment)
        return with_places(assessment, explained), explained

    def situations(self) -> dict[tuple[str, int], Situation]:
        """Case and call → what was given."""
        results = self.diagnoser.dictionary.stages.results
        found = situations(self.exercise, self.plan, self.right, results, self.diagnoser.build)
        return {(one.case, one.call): one for one in found}

    def values(self, situation: Situation) -> Mapping[str, Any]:
        """Stage → value of the right answer."""
        return self.diagnoser.dictionary.values((), situation)

    def with_items(self, change: Callable[[torch.Tensor], torch.Tensor], *places: tuple[str, int, int]) -> Seen:
        """What the right answer did, with some results changed, given by case, call and number; all of them if none is given."""

        def call(case: str, number: int, one: Call) -> Call:
            items = (
                change(item) if not places or (case, number, place) in places else item
                for place, item in enumerate(one.items)
            )
            return replace(one, items=tuple(items))

        return {
            case: replace(seen, calls=tuple(call(case, number, one) for number, one in enumerate(seen.calls)))
            for case, seen in self.right.items()
        }

    def received(self, reports: Sequence[tuple[Mapping[str, Any], Sequence[torch.Tensor]]]) -> Seen:
        """What comes of reports that went through the wire."""
        reader = FrameReader(Caps(body_bytes=Settings().result_bytes))
        raw = [frame for header, tensors in reports for frame in reader.feed(b"".join(pieces(header, _raw(tensors))))]
        frames = tuple(Frame(one.header, tuple(map(from_wire, one.tensors))) for one in raw)
        return observations(self.plan, Run(frames, "done", None, None, False, "", 0.0, None))


def _raw(tensors: Sequence[torch.Tensor]) -> list[TensorBytes]:
    return [raw for raw in map(to_wire, tensors) if not isinstance(raw, str)]


def header(case: str, **changes: Any) -> dict[str, Any]:
    """A report of a case that returned."""
    return {"case": case, "stage": "call", "ending": "returned", "seconds": 0.0} | changes


def written(report: Mapping[str, Any]) -> bytes:
    return json.dumps(report).encode()
