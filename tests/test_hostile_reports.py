"""What comes out of a worker is hostile: it is read or refused, judged in bounded work, and NaN is like nothing."""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
import tracemalloc
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from checkers.base import Ending, Fault, Observation, Stage, Step
from tests.hostile import INVISIBLE, MARKUP, Trusted, header, written
from tutor import lookup
from tutor.judge import assess
from tutor.model import Status
from tutor.observing import observations
from tutor.plain import printable
from tutor.sandbox.inside import policy
from tutor.sandbox.report import GarbledReport, parse_report
from tutor.sandbox.run import Frame, Run
from tutor.search import BUDGET, BUDGET_IN_ALL
from tutor.view import View

SLUGS = ("multi-head-attention", "scaled-dot-product-attention")
TENSORS = (
    torch.arange(12.0),
    torch.zeros(2, 3),
    torch.tensor(1.0),
    torch.zeros(0, 2**30),
    torch.tensor([math.nan, -0.0, math.inf]),
    torch.zeros(3, dtype=torch.complex64),
    torch.tensor([True, False]),
)
STEP = {
    "name": "matmul",
    "line": 3,
    "outer": None,
    "takes": ["Q"],
    "shapes": [[2, 3]],
    "value": [0, [2, 3]],
    "device": "",
}
FULL: dict[str, Any] = header(
    "plain",
    parameters=[{"name": "W_Q.weight", "shape": [3, 3], "trainable": True, "same_as": None}],
    bound={"W_Q": "W_Q.weight", "W_K": None},
    unclaimed=["a"],
    biases=["a"],
    hidden=["b"],
    kept=[{"name": "mask", "shape": [4, 4], "buffer": True}],
    calls=[
        {
            "container": "tuple",
            "items": [{"tensor": 0}, {"other": "a value of type A"}],
            "operations": ["matmul"],
            "gradients": {"W_Q": 1, "Q": None},
            "disturbed": ["input:Q"],
        }
    ],
    tape={"flat": [0], "steps": [STEP, {**STEP, "takes": [0, "?"]}]},
)
FAULT = {"type": "ValueError", "message": "no", "line": 2, "operation": "view", "shapes": [[2], []]}
TEXTS = (
    ("RuntimeError", "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"),
    ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
    ("RuntimeError", "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 4]."),
    ("RuntimeError", f"shape '[{'9' * 900}, -1]' is invalid for input of size 6"),
    ("RuntimeError", "shape '[3, 5]' is invalid for input of size 6"),
    ("RuntimeError", "view size is not compatible with input tensor's size and stride"),
    ("RuntimeError", "permute(sparse_coo): input.dim() = 3 is not equal to len(dims) = 4"),
    ("RuntimeError", "batch1 must be a 3D tensor"),
    ("IndexError", "Dimension out of range (expected to be in range of [-3, 2], but got 3)"),
    ("MissingEntry", ", ".join("ab" * 20 for _ in range(40))),
    ("A" * 200, "takes " * 330),
    ("TypeError", "takes positional argument but " * 60),
    ("NameError", "name 'W_Q' is not defined"),
)
OPERATIONS = (
    "",
    "_",
    "matmul",
    "__rmatmul__",
    "bmm",
    "linear",
    "view",
    "add_",
    "masked_fill",
    "permute",
    "unsqueeze",
    "stack",
)
HOSTILE = (
    None, True, -1, 2**40, 2**63, 10**400, 1.5, math.nan, math.inf, "", "\0", "x" * 5_000, "\u202e", [], [[]], [[[[[]]]]], {}, {"a": 1},
    [2**40, 0], [2**40] * 8, [0] * 9, [7], ["?"] * 9, [-1], [1e300], ["tensor"] * 40, "none", "raised", "load", "timed_out", "killed",
    {"tensor": 99}, [{"tensor": 0}] * 17, [{"tensor": 0, "other": "a"}], [0, 0], list(range(16)), [None] * 300,
)  # fmt: skip


@pytest.fixture(scope="module", params=SLUGS)
def trusted(request, catalog) -> Trusted:
    return Trusted.of(catalog[request.param])


@pytest.fixture(scope="module")
def heads(catalog) -> Trusted:
    return Trusted.of(catalog[SLUGS[0]])


# --- reading ---------------------------------------------------------------------------------------------------------


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in _places(one, (*path, key)))]


PLACES = [path for path in _places(FULL) if path]


def _changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(FULL)
    inside: Any = made
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return made


def _well_formed(seen: Observation) -> None:
    """What the judge may rely on, whoever wrote the report."""
    texts = [seen.case, *seen.unclaimed, *seen.biases, *seen.hidden, *seen.bound, *filter(None, seen.bound.values())]
    texts += [one.name for one in seen.kept]
    texts += [one.name for one in (*seen.parameters, *seen.tape)] + [one.container for one in seen.calls]
    texts += [seen.fault.type, seen.fault.message, seen.fault.operation] if seen.fault else []
    assert all(text == printable(text) and len(text) <= 4_000 for text in texts)
    assert (seen.fault is None) is (seen.ending is Ending.RETURNED)
    assert 0 <= seen.seconds <= 3_600
    for number, step in enumerate(seen.tape):
        assert all(source < number for source in step.takes if isinstance(source, int))
    values = [step.value for step in seen.tape if step.value is not None and step.value.numel()]
    ends = sorted((one.untyped_storage().data_ptr(), one.storage_offset(), one.numel()) for one in values)
    for (storage, start, count), (other, following, _) in itertools.pairwise(ends):
        assert storage != other or start + count <= following
    for call in seen.calls:
        assert call.container in ("tuple", "list") or len(call.items) == 1


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(PLACES), st.sampled_from(HOSTILE), st.sampled_from([None, FAULT]), st.sampled_from(["", "\t\n "])
)
def test_a_report_with_one_hostile_part_is_refused_or_whole(path, value, fault, space) -> None:
    """Wherever something of another kind, size or place stands, nothing but ``GarbledReport`` comes of it, or a whole observation."""
    report = _changed(path, value) | ({"fault": fault, "ending": "raised"} if fault else {})
    try:
        seen = parse_report(space.encode() + written(report), TENSORS)
    except GarbledReport:
        return
    _well_formed(seen)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, 10_000))
def test_a_report_with_flipped_bytes_is_refused_or_whole(changes, cut) -> None:
    """The same for bytes that are no JSON, no UTF-8 or another report."""
    data = bytearray(written(FULL))
    for place, byte in changes:
        data[place % len(data)] = byte
    for candidate in (data, data[: cut % len(data)]):
        try:
            _well_formed(parse_report(bytes(candidate), TENSORS))
        except GarbledReport:
            continue


START = b'{"case":"plain","stage":"call","ending":"returned","seconds":'


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[" * 500_000, id="deep lists"),
        pytest.param(b'{"a":' * 100_000, id="deep objects"),
        pytest.param(START + b"NaN}", id="NaN"),
        pytest.param(START + b"1e999}", id="infinity"),
        pytest.param(START + b"9" * 5_000 + b"}", id="huge number"),
        pytest.param(START + b"true}", id="a truth value for a number"),
        pytest.param(START + rb'0,"unclaimed":["\ud800"]}', id="half a surrogate pair"),
        pytest.param(START + b'0,"unclaimed":["\xed\xa0\x80"]}', id="half a surrogate pair in bytes"),
        pytest.param(START + b'0,"unclaimed":[' + b"1," * 200_000 + b"1]}", id="many of the wrong type"),
        pytest.param(START + b"0," + b",".join(b'"k%d":1' % n for n in range(40_000)) + b"}", id="many keys"),
        pytest.param(written(header("plain", ending="timed_out", fault=FAULT)), id="an ending seen from outside"),
        pytest.param(written(header("plain", ending="raised")), id="no exception"),
        pytest.param(written(header("plain", fault=FAULT)), id="an exception although it returned"),
        pytest.param(written(header("plain", ending="raised", fault=FAULT | {"type": "A" * 201})), id="a long type"),
        pytest.param(
            written(header("plain", ending="raised", fault=FAULT | {"message": "A" * 2_001})), id="a long text"
        ),
    ],
)
def test_what_no_observer_writes_is_garbled(data: bytes) -> None:
    """Neither depth nor size nor a value that JSON should not have is more than a garbled report."""
    with pytest.raises(GarbledReport):
        parse_report(data, TENSORS)


def test_what_acts_or_hides_in_a_name_is_made_visible() -> None:
    """Control, direction and invisible characters are gone before anybody compares, stores or shows a text."""
    seen = parse_report(written(FULL | {"unclaimed": [f"a{INVISIBLE}b"], "hidden": [MARKUP]}), TENSORS)
    assert set(seen.unclaimed[0]) == set("a[2Jb\N{REPLACEMENT CHARACTER}")
    assert seen.hidden == (MARKUP,)


@pytest.mark.parametrize(
    ("flat", "values"),
    [
        pytest.param([0], [[0, [7]], [0, [6]]], id="longer than what there is"),
        pytest.param([0], [[0, [2**40]]], id="huge"),
        pytest.param([0], [[0, [2**40] * 8]], id="a product beyond 64 bits"),
        pytest.param([0], [[0, [2**40] * 7 + [0]]], id="strides beyond 64 bits"),
        pytest.param([0], [[1, [1]]], id="a group that is not there"),
        pytest.param([0, 0], [[0, [1]]], id="one tensor twice"),
        pytest.param([1], [[0, [2, 3]]], id="not flat"),
        pytest.param([2], [[0, []]], id="without axes"),
        pytest.param([99], [], id="a tensor that is not there"),
        pytest.param([0], [[0, [-1]]], id="a negative size"),
    ],
)
def test_values_of_a_tape_lie_one_after_the_other(flat, values) -> None:
    """Each number belongs to one step at most, and none is made up."""
    steps = [STEP | {"value": value, "takes": []} for value in values]
    with pytest.raises(GarbledReport):
        parse_report(written(FULL | {"tape": {"flat": flat, "steps": steps}}), TENSORS)


def test_an_empty_value_may_have_huge_sizes() -> None:
    """It holds nothing, and nothing is reserved for it."""
    steps = [STEP | {"value": [0, [2**40, 0]], "takes": []}]
    assert parse_report(written(FULL | {"tape": {"flat": [0], "steps": steps}}), TENSORS).tape[0].value.numel() == 0


@pytest.mark.parametrize(
    "call",
    [
        {"container": "tensor", "items": [{"tensor": 0}] * 2},
        {"container": "none", "items": [{"tensor": 0}]},
        {"container": "other", "items": []},
        {"container": "dict", "items": [{"tensor": 0}] * 2},
        {"container": "tuple", "items": [{"tensor": 0}] * (policy.RESULTS + 1)},
    ],
)
def test_a_container_holds_what_it_says(call) -> None:
    """A single tensor is one, nothing is no tensor."""
    with pytest.raises(GarbledReport):
        parse_report(written(FULL | {"calls": [call]}), TENSORS)


def test_nothing_is_taken_that_was_not_asked_for(heads) -> None:
    """A tape, operations, gradients or calls beyond those of the plan end the case as killed: each would have to be looked at."""
    planned = replace(heads.plan, cases=tuple(one for one in heads.plan.cases if one["name"] == "plain-even"))
    call = {"container": "tuple", "items": [{"tensor": 0}, {"tensor": 0}]}

    def ending(**changes: Any) -> Ending:
        frames = (
            Frame(written(header("load", stage="load")), ()),
            Frame(written(header("plain-even", **changes)), TENSORS),
        )
        return observations(planned, Run(frames, "done", None, None, False, "", 0.0, None))["plain-even"].ending

    assert ending(calls=[call]) is Ending.RETURNED
    assert ending(calls=[call], tape=FULL["tape"]) is Ending.KILLED
    assert ending(calls=[call | {"operations": ["matmul"]}]) is Ending.KILLED
    assert ending(calls=[call | {"gradients": {"W_Q": 0}}]) is Ending.KILLED
    assert ending(calls=[call] * 2) is Ending.KILLED
    assert ending(calls=[call] * 2, ending="raised", fault=FAULT) is Ending.KILLED
    assert ending(calls=[call], stage="load") is Ending.KILLED
    assert ending(ending="raised", fault=FAULT, tape=FULL["tape"]) is Ending.RAISED


# --- judging ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def work(monkeypatch) -> Counter[str]:
    """Counts what the search for an explanation costs: programs tried, and values laid beside tapes."""
    counted: Counter[str] = Counter()

    def counting(name, function):
        def wrapper(*args, **kwargs):
            counted[name] += 1
            return function(*args, **kwargs)

        return wrapper

    monkeypatch.setattr(View, "agrees", counting("programs", View.agrees))
    monkeypatch.setattr(lookup, "same", counting("comparisons", lookup.same))
    return counted


def _bounded(work: Counter[str], trusted: Trusted) -> None:
    taped = sum(case["tape"] for case in trusted.plan.cases)
    assert work["comparisons"] <= taped * lookup.COMPARISONS
    # Each set that is found is held against each call once more.
    calls = sum(len(case["calls"]) for case in trusted.plan.cases)
    assert work["programs"] <= BUDGET + 2 * BUDGET_IN_ALL + 4 * calls * len(trusted.diagnoser.dictionary.faults)


def _shuffled(value: torch.Tensor, number: int) -> torch.Tensor:
    order = torch.randperm(value.numel(), generator=torch.Generator().manual_seed(number))
    return value.float().flatten()[order]


def _all_alike(trusted: Trusted, case: str) -> tuple[Step, ...]:
    """The longest tape: on each step the numbers of one stage, in an order that is none of its layouts."""
    value = trusted.values(trusted.situations()[case, 0])["scaled"]
    takes = [tuple(range(max(0, number - policy.STEP_TENSORS), number)) for number in range(policy.STEPS)]
    shapes = ((2, 3),) * policy.STEP_TENSORS
    return tuple(Step("view", 9, takes[n], shapes[: len(takes[n])], _shuffled(value, n)) for n in range(policy.STEPS))


def test_a_tape_full_of_what_is_nearly_right_costs_no_more_than_is_allowed(trusted, work) -> None:
    """Numbers that pass every quick test, two hundred times on every tape, and results that no known fault gives."""
    taped = {case["name"] for case in trusted.plan.cases if case["tape"]}
    seen = {
        case: replace(one, tape=_all_alike(trusted, case)) if case in taped else one
        for case, one in trusted.with_items(lambda item: item * 1.37 + 0.1).items()
    }
    assessment, explained = trusted.judge(trusted.exercise.reference, seen)
    assert assessment.status is Status.FAILED
    assert explained.diagnosis is None
    assert work["comparisons"] > lookup.COMPARISONS
    _bounded(work, trusted)


def test_another_fault_in_every_call_costs_no_more_than_is_allowed(trusted, work) -> None:
    """Each call gives the numbers of another known fault, so that every explanation falls at the next call."""
    dictionary, faults = trusted.diagnoser.dictionary, itertools.cycle(trusted.diagnoser.dictionary.faults)
    seen, known = dict(trusted.right), trusted.situations()
    for (case, number), situation in known.items():
        fault = next(faults)
        values = [dictionary.values((fault,), situation).get(name) for name in dictionary.stages.results]
        call = seen[case].calls[number]
        items = tuple(
            new.float() if isinstance(new, torch.Tensor) and new.shape == old.shape else old
            for new, old in zip(values, call.items, strict=True)
        )
        calls = list(seen[case].calls)
        calls[number] = replace(call, items=items)
        seen[case] = replace(seen[case], calls=tuple(calls))
    assessment, _ = trusted.judge(trusted.exercise.reference, seen)
    assert assessment.status is Status.FAILED
    _bounded(work, trusted)


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.0, -0.0, 1e-42, 3e38])
def test_one_number_everywhere_is_explained_in_bounded_work(trusted, work, value: float) -> None:
    """NaN, infinity, nothing, the smallest and the largest: the search ends, and no fault is made up for NaN or infinity."""
    assessment, explained = trusted.judge(
        trusted.exercise.reference, trusted.with_items(lambda item: torch.full_like(item, value))
    )
    assert assessment.status is Status.FAILED
    assert explained.diagnosis is None or math.isfinite(value)
    _bounded(work, trusted)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.bool, torch.int64]
)
def test_numbers_of_another_type_are_judged(trusted, dtype: torch.dtype) -> None:
    """No type makes a check or an explanation raise."""
    assessment, _ = trusted.judge(
        trusted.exercise.reference, trusted.with_items(lambda item: (item * 1.3 + 0.2).to(dtype))
    )
    assert assessment.status is Status.FAILED


def _fullest(trusted: Trusted) -> list[tuple[dict[str, Any], list[torch.Tensor]]]:
    """The fullest reports that are taken: every list at its cap, every text at its longest."""
    names = [f"{MARKUP} {number} ".ljust(200, "(")[:200] for number in range(policy.PARAMETERS)]
    room = [torch.full((15_000,), math.nan), *(torch.full((4,), math.nan) for _ in range(policy.RESULT_TENSORS - 1))]
    parameters = [{"name": name, "shape": [2**40] * 8, "trainable": False, "same_as": names[0]} for name in names]
    roles = dict.fromkeys(trusted.plan.roles, " + ".join(names)[:4_000])
    reports = [(header("load", stage="load"), [])]
    for case in trusted.plan.cases:
        call = {
            "container": "list",
            "items": [{"tensor": 0}] * policy.RESULTS,
            "disturbed": [*names[:60], "training", "random"],
        }
        more = {"operations": ["softmax"] * policy.OPERATIONS} if case["record"] else {}
        more |= {"gradients": dict.fromkeys([*trusted.plan.roles, "Q"], 0)} if case["gradients"] else {}
        step = STEP | {
            "name": names[0],
            "takes": ["Q", names[1]] * 4,
            "shapes": [[2] * 8] * 8,
            "value": [0, [75]],
            "device": "text",
        }
        tapes = {"tape": {"flat": [0], "steps": [step] * policy.STEPS}} if case["tape"] else {}
        report = header(
            case["name"], stage="call" if case["calls"] else "construct", seconds=3_600, bound=roles, **tapes
        )
        report |= {"calls": [call | more, *[call] * (len(case["calls"]) - 1)] if case["calls"] else []}
        if not case["calls"]:
            report |= {"parameters": parameters, "unclaimed": names, "biases": names, "hidden": names[: policy.HIDDEN]}
            report["kept"] = [{"name": names[0], "shape": [2**40] * 8, "buffer": False}] * policy.KEPT
        reports.append((report, room))
    return reports


def test_the_fullest_reports_are_judged_in_little_memory(trusted, work) -> None:
    """Names of two hundred characters everywhere, parameters of 2^320 numbers, 64 tensors of NaN, 2,000 operations, tapes of 200 steps."""
    tracemalloc.start()
    seen = trusted.received(_fullest(trusted))
    assessment, _ = trusted.judge(trusted.exercise.reference, seen)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.ending for one in seen.values()] == [Ending.RETURNED] * len(trusted.right)
    assert assessment.status is Status.FAILED
    failed = [check for one in assessment.milestones for check in one.checks if check.status is Status.FAILED]
    assert max(len(text) for check in failed for text in (check.message, check.actual, check.next_step)) < 5_000
    assert peak < 200 * policy.MIB
    _bounded(work, trusted)


@pytest.mark.parametrize("seed", range(3))
def test_exceptions_with_every_shape_and_line_are_explained(trusted, seed: int) -> None:
    """The words of torch's own exceptions with sizes that do not go with them: a sentence, never an exception of ours."""
    draw = random.Random(seed)  # noqa: S311  the same in every run
    sizes = [0, 1, 2, 3, 5, 7, 14, 15, 45, 2**40]
    for case in trusted.plan.cases:
        shapes = tuple(tuple(draw.choices(sizes, k=draw.randrange(6))) for _ in range(draw.randrange(5)))
        fault = Fault(*draw.choice(TEXTS), draw.choice([None, 1, 20, 10**6]), draw.choice(OPERATIONS), shapes)
        stage = draw.choice([Stage.CONSTRUCT, Stage.BIND, Stage.CALL])
        seen = dict(trusted.right) | {case["name"]: Observation(case["name"], Ending.RAISED, stage, fault)}
        told = assess(trusted.exercise, trusted.exercise.reference, seen, trusted.reference.observe(trusted.plan))
        assert told.status is (Status.PASSED if case["name"] == "indivisible" else Status.FAILED)
    trusted.judge(trusted.exercise.reference, seen)


# --- NaN is no wildcard ----------------------------------------------------------------------------------------------

# What no check looks at: of the causal call with other values behind only the output is compared, and of one case only gradients are.
NOT_JUDGED = {
    "multi-head-attention": {("causal", 1, 1)},
    "scaled-dot-product-attention": {("causal", 1, 1), ("gradients", 0, 0), ("gradients", 0, 1)},
}


def _last(value: float):
    def change(item: torch.Tensor) -> torch.Tensor:
        changed = item.clone()
        changed.view(-1)[-1] = value
        return changed

    return change


def test_one_number_that_is_none_fails_wherever_numbers_are_judged(trusted) -> None:
    """NaN agrees with nothing, in whichever result of whichever call it stands, and neither does infinity."""
    passed, values = set(), itertools.cycle([math.nan, math.nan, math.inf])
    for case, one in trusted.right.items():
        for number, call in enumerate(one.calls):
            for place in range(len(call.items)):
                seen = trusted.with_items(_last(next(values)), (case, number, place))
                expected = trusted.reference.observe(trusted.plan)
                if assess(trusted.exercise, trusted.exercise.reference, seen, expected).status is Status.PASSED:
                    passed.add((case, number, place))
    assert passed == NOT_JUDGED[trusted.exercise.slug]


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one * math.nan,
        lambda one: one + 0j,
        lambda one: one[None],
        lambda one: one.flatten()[:1],
        lambda one: one.flatten()[:0],
        lambda one: one.bool(),
        lambda one: None,
    ],
    ids=["NaN", "complex", "an axis more", "one number", "no number", "truth values", "none"],
)
def test_gradients_that_are_no_gradients_fail(trusted, change) -> None:
    """What cannot be held against the right one is not right, and says so."""
    seen = dict(trusted.right)
    for case, one in seen.items():
        first = (
            replace(one.calls[0], gradients={k: change(v) for k, v in one.calls[0].gradients.items()})
            if one.calls
            else None
        )
        seen[case] = replace(one, calls=(first, *one.calls[1:])) if first else one
    expected = trusted.reference.observe(trusted.plan)
    assessment = assess(trusted.exercise, trusted.exercise.reference, seen, expected)
    failed = {check.code for one in assessment.milestones for check in one.checks if check.status is Status.FAILED}
    assert failed & {"gradient-cut", "gradient-differs", "gradient-not-finite", "matrix-without-gradient"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda one: (one * math.nan).double()[None], "differs-from-reference"),
        (lambda one: one.double()[None], "wrong-dtype"),
        (lambda one: one.half()[None], "precision-lost"),
        (lambda one: one[None] + 1, "differs-from-reference"),
    ],
    ids=["finite first", "then the type", "of half precision", "then the shape"],
)
def test_the_order_is_finite_type_shape_value(heads, change, code: str) -> None:
    """Where several things are wrong the first of them is said."""
    seen = heads.with_items(change, ("one-head", 0, 0))
    assessment = assess(heads.exercise, heads.exercise.reference, seen, heads.reference.observe(heads.plan))
    (failed,) = [check for one in assessment.milestones for check in one.checks if check.status is Status.FAILED]
    assert failed.code == code


@pytest.mark.parametrize(("shape", "fits"), [([0, 512, 512], True), ([0, 2**33, 2**33, 2**33], False)])
def test_an_empty_value_on_the_tape_hides_no_sizes_that_overflow(shape: list[int], fits: bool) -> None:
    """An ordinary empty tensor is read; one whose strides overflow is the work of somebody who forges, and no fault of ours."""
    step = {"name": "view", "line": 3, "outer": None, "takes": [], "shapes": [], "value": [0, shape], "device": ""}
    forged = {
        "case": "x",
        "stage": "call",
        "ending": "returned",
        "seconds": 0.1,
        "tape": {"flat": [0], "steps": [step]},
    }
    report = json.dumps(forged).encode()
    if fits:
        value = parse_report(report, [torch.zeros(0)]).tape[0].value
        assert value is not None
        assert value.shape == tuple(shape)
    else:
        with pytest.raises(GarbledReport):
            parse_report(report, [torch.zeros(0)])
