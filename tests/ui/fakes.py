"""A ``Tutor`` with a real service and an in-memory store, but an engine that answers by looking at the text.

What a text gets is decided by a word in it: ``broken``, ``slow``, ``raises``, ``endless``, ``misnamed``, ``view(B, h, T``,
``passes``, ``unscaled`` and ``exchanged`` (a diagnosis with hints each, or of both); anything else fails at the first milestone. ``walks``, ``walks away`` and ``stumbles`` bring shapes.
Code that stops, and a check that breaks, are judged by the real judge.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from checkers.base import Fault, Observation, Stage
from tests.ui.outcomes import tried
from tests.ui.walks import walk_of
from tutor.catalog import Catalog
from tutor.content import Case, Check, Entry, Exercise, LensSetup, Milestone
from tutor.curriculum import Lesson, Step
from tutor.dispatch.protocol import CheckerState
from tutor.intake import Limits
from tutor.judge import assess, give_up
from tutor.model import (
    AfterPass,
    Assessment,
    CheckOutcome,
    Diagnosis,
    Ending,
    MilestoneOutcome,
    Reason,
    Status,
    Submission,
    Verdict,
    source_sha256,
)
from tutor.quiz import Shape
from tutor.quizzes import load_quiz
from tutor.service import Tutor
from tutor.store.memory import MemoryStore
from tutor.store.protocol import Store
from tutor.walls import Proof, Wall

PROOF = Proof(walls=tuple(Wall(id=one, on=True) for one in ("own process", "landlock", "seccomp", "a moat")))
READY = CheckerState(ready=True, device="cpu", proof=PROOF)
NASTY = "<img src=x onerror=alert(1)> $x^2$ **bold** `code` :red[red] :smile: [link](javascript:alert(1)) :streamlit: www.a.example http://a.example me@a.example"

QUIZ = load_quiz(Path(__file__).with_name("questions"))

STARTER = '''\
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Several attention heads side by side."""

    def __init__(self, d_model, h):
        super().__init__()
        # Your four projections go here.

    def forward(self, Q, K, V, mask=None):
        ...
'''

STATEMENT = """\
One attention head has to average over everything a token cares about. Several heads can care about different things at once,
each in its own slice of the model's width.

### What happens, in five steps

1. **Project** the inputs with `W_Q`, `W_K` and `W_V`.
2. **Split** the width into `h` heads of $d_k = d_{model} / h$ each.
3. **Attend** in every head: $\\mathrm{softmax}(QK^T / \\sqrt{d_k})\\,V$.
4. **Merge** the heads back in their order.
5. **Mix** them with `W_O`.

### Shapes

| tensor | shape |
| --- | --- |
| `Q` | `(B, T_q, d_model)` |
| per head | `(B, h, T_q, d_k)` |
| scores | `(B, h, T_q, T_k)` |
| output | `(B, T_q, d_model)` |

### Rules

Write it from scratch: no `nn.MultiheadAttention`, no loop over heads. Masks are boolean, **True means may attend**.
"""

_PLAN = {
    "skeleton": ("The four matrices", "Four square projections without bias, whatever the number of heads.", ("There are 4 matrices without bias", "The names are W_Q, W_K, W_V and W_O")),
    "forward": ("The forward pass", "It runs, and what comes out has the right shapes.", ("forward returns an output and weights", "Each row of weights sums to 1")),
    "one-head": ("One head", "With one head it is plain attention.", ("With h = 1 it equals single-head attention",)),
    "split-order": ("Split and merge", "With several heads every head keeps its own slice.", ("With h > 1 the output equals the reference",)),
    "causal": ("Causal mask", "No token sees a later one.", ("No later token leaks into an earlier one", "With a mask it still equals the reference")),
}  # fmt: skip


def exercise(slug: str = "multi-head-attention", title: str = "Multi-head attention") -> Exercise:
    """A hand-made exercise with the real milestone ids; every check needs the one before it."""
    milestones: list[Milestone] = []
    before: tuple[str, ...] = ()
    for name, (heading, goal, titles) in _PLAN.items():
        checks: list[Check] = []
        for number, text in enumerate(titles, start=1):
            check = Check(id=f"{name}-{number}", title=text, kind="completes", cases=("small",), needs=before)
            checks.append(check)
            before = (f"{name}/{check.id}",)
        milestones.append(Milestone(id=name, title=heading, goal=goal, checks=tuple(checks)))
    return Exercise(
        slug=slug, title=title, summary="Several heads, one module: split the width, attend in each head, merge, mix.",
        version=1, cases=(Case(name="small", dims={"B": 2}),), examples=(Case(name="tiny", dims={"B": 1}),), roles=(), milestones=tuple(milestones),
        lens=LensSetup(dims={"h": 4}, inputs={"Q": "sentence", "mask": "causal"}, maps="attn_w") if slug == "multi-head-attention" else None,
        entry=Entry(kind="class", name="MultiHeadAttention", positional=("Q", "K", "V"), returns={"output": "B T d_model"}),
        statement=STATEMENT, starter=STARTER,
        reference="class MultiHeadAttention(nn.Module):\n    ...  # the right answer\n", library="def library(dims, weights, Q, K, V): ...\n", quiz=QUIZ if slug == "multi-head-attention" else (),
    )  # fmt: skip


def _lesson(slug: str, *after: str) -> Lesson:
    return Lesson(title="Lesson 81", about="From one head to many.", exercises=(Step(slug=slug, after=after),))


# Trap → how it explains the failure, and its three rungs. The last one of the first is nothing but code, that of the second has a block.
_TRAPS = {
    "unscaled": (
        f"The scores go into the softmax without the factor `1 / sqrt(d_k)`. {NASTY}",
        "What happens to the size of a dot product when its vectors get longer, and what does the softmax make of that?",
        "A dot product of `d_k` terms grows like `sqrt(d_k)`. Line 8 makes the scores; nothing divides them before line 9.",
        "scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)",
    ),
    "exchanged": (
        "Queries and keys have changed places.",
        "Which of the two asks, and which is asked? One row of the weights should belong to one of them.",
        "A row of the scores belongs to a query, a column to a key; line 8 makes them the other way round.",
        "Line 8:\n```python\nscores = Q @ K.transpose(-2, -1)\nweights = scores.softmax(dim=-1)\n```",
    ),
}


def diagnosis(source: str) -> Diagnosis | None:
    """What explains the failure of a text: a trap for each of the words in it."""
    found = {name: said for name, said in _TRAPS.items() if name in source}
    if not found:
        return None
    return Diagnosis(
        traps=tuple(found),
        how=" ".join(said[0] for said in found.values()),
        line=8,
        reasons=tuple(Reason(says=said[0], line=8 + number) for number, said in enumerate(found.values())),
        hints=tuple(hint for said in found.values() for hint in said[1:]),
    )


# Code that did not come to its end, by the word that asks for it.
_STOPPED = {
    "raises": Observation("small", Ending.RAISED, fault=Fault("RuntimeError", NASTY, 10)),
    "endless": Observation("small", Ending.TIMED_OUT, seconds=3.0),
    "misnamed": Observation("small", Ending.DID_NOT_LOAD, Stage.LOAD, Fault("MissingEntry", "MultiheadAttention")),
}


AFTER = AfterPass(
    calls=29,
    from_reference=1.4e-6,
    from_library=1.8e-7,
    question=Shape(
        id="own-code", kind="shape", ask="Line 8 of your code is `scores = Q @ K.mT`. What is the shape of what leaves it?",
        answer="(2, 3, 7, 7)", think="Follow the axes through the line.", why="Given (2, 3, 7, 5) and (2, 3, 5, 7), the line made (2, 3, 7, 7).",
    ),
)  # fmt: skip


def verdict(task: Exercise, source: str) -> Verdict:
    """The verdict a text gets."""
    found = _assessment(task, source)
    return Verdict(
        exercise=task.slug, exercise_version=task.version, source_sha256=source_sha256(source.encode()), checker_version="0",
        status=found.status, ending=found.ending, milestones=found.milestones, error=found.error, diagnosis=diagnosis(source), device="cpu",
        isolation=READY.isolation, seconds=0.06, seed=7, printed=f"hello\n{NASTY}\n" if "raises" in source else "",
        after=AFTER if found.status is Status.PASSED else None, walk=walk_of(source),
    )  # fmt: skip


def _assessment(task: Exercise, source: str) -> Assessment:
    if "broken" in source:
        return give_up(task.milestones, "PoolError: the zygote is gone")
    for word, seen in _STOPPED.items():
        if word in source:
            return assess(task, source, {seen.case: seen}, {})
    names = [one.id for one in task.milestones]
    good = (
        len(names)
        if "passes" in source
        else names.index("split-order")
        if "view(B, h, T" in source
        else names.index("one-head")
        if diagnosis(source)
        else 0
    )
    return Assessment(
        status=Status.PASSED if good == len(names) else Status.FAILED,
        ending=Ending.RETURNED,
        milestones=tuple(_milestone(task, number, good) for number in range(len(names))),
    )


def _milestone(task: Exercise, number: int, good: int) -> MilestoneOutcome:
    """One milestone of a verdict whose milestone number ``good`` fails, in its last check."""
    milestone = task.milestones[number]
    status = Status.PASSED if number < good else Status.FAILED if number == good else Status.NOT_RUN
    checks = []
    for check in milestone.checks:
        last = check is milestone.checks[-1]
        here = Status.PASSED if status is Status.FAILED and not last else status
        finding: dict[str, str | int] = {}
        if here is Status.FAILED:
            finding = {
                "message": f"The module has no parameter called W_O. It does have: {NASTY}",
                "expected": "W_Q, W_K, W_V, W_O", "actual": NASTY, "line": 8,
                "next_step": f"Look at what __init__ assigns to self, and compare the names with the table in the task. {NASTY}",
            }  # fmt: skip
        elif here is Status.NOT_RUN:
            finding = {"message": f"Waits for “{task.milestones[good].checks[-1].title}”."}
        checks.append(CheckOutcome(id=check.id, title=check.title, status=here, **finding))
    return MilestoneOutcome(id=milestone.id, title=milestone.title, status=status, checks=tuple(checks))


class FakeDispatch:
    """A checker that needs 0.3 s, or 2.5 s for a text with ``slow`` in it."""

    def __init__(self, store: Store, task: Exercise, *, state: CheckerState = READY, seconds: float = 0.3) -> None:
        self._store, self._task, self._state, self._seconds = store, task, state, seconds
        self._done: dict[int, threading.Event] = {}

    def ring(self, submission_id: int) -> None:
        if not self._state.ready:
            return
        done = self._done.setdefault(submission_id, threading.Event())
        threading.Thread(target=self._judge, args=(submission_id, done), daemon=True).start()

    def _judge(self, submission_id: int, done: threading.Event) -> None:
        claimed = self._store.claim(submission_id, "fake", 60)
        if claimed is None:
            return
        time.sleep(2.5 if "slow" in claimed.source else self._seconds)
        trial, source = claimed.trial, claimed.source
        found = verdict(self._task, source) if trial is None else tried(trial, source, NASTY)
        self._store.finish(submission_id, "fake", found)
        done.set()

    def wait(self, submission_id: int, seconds: float) -> bool:
        return self._done.setdefault(submission_id, threading.Event()).wait(seconds)

    def state(self) -> CheckerState:
        return self._state

    def close(self) -> None:
        pass


def fake_tutor(
    *, state: CheckerState = READY, seconds: float = 0.3, source_bytes: int = 65_536, store: Store | None = None
) -> Tutor:
    """A tutor that needs no engine; every call gives a new, empty one, unless it is given a store."""
    store, task = store or MemoryStore(), exercise()
    second = exercise("causal-attention", "Causal attention")
    return Tutor(
        Catalog((task, second), (_lesson(task.slug), _lesson(second.slug, task.slug))),
        store,
        FakeDispatch(store, task, state=state, seconds=seconds),
        Limits(source_bytes=source_bytes),
    )


def hand_in(tutor: Tutor, source: str, wait: float = 2.0) -> Submission:
    """Submit as the page would, and wait for the verdict."""
    learner = tutor.learner()
    taken = tutor.submit(learner, "multi-head-attention", source)
    assert isinstance(taken, Submission)
    found = tutor.wait(learner, taken.id, wait)
    assert found is not None
    return found
