"""Kind ``keeps_precision``, and types elsewhere."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Foreign, Step
from tests.checkers.making import call, failures, find, results, seen, submission


def _double():
    return tuple(item.double() for item in results())


@pytest.mark.parametrize("shift", [0.0, 3e-7])
def test_float64_is_content(shift):
    """A softmax in float32 on the way is let pass."""
    output, maps = _double()
    assert find("keeps_precision", seen(call(output + shift, maps)), seen(call(*_double()))) is None


@pytest.mark.parametrize(
    ("dtype", "code"),
    [
        (torch.float32, "precision-lost"),
        (torch.float16, "precision-lost"),
        (torch.complex128, "wrong-dtype"),
        (torch.int64, "wrong-dtype"),
    ],
)
def test_another_type_is_named(dtype, code):
    """A shorter type is lost precision, any other one is just another type."""
    output, maps = _double()
    found = find("keeps_precision", seen(call(output, maps.to(dtype))), seen(call(output, maps)))
    assert (found.code, found.actual) == (code, str(dtype).removeprefix("torch."))


@pytest.mark.parametrize(("number", "off", "content"), [(0.0, 1.5e-6, True), (0.0, 3e-6, False), (100.0, 1.5e-4, True)])
def test_the_tolerance_grows_with_the_numbers(number, off, content):
    """Absolute for small numbers, relative for large ones."""
    output, maps = _double()
    wanted = torch.full_like(output, number)
    found = find("keeps_precision", seen(call(wanted - off, maps)), seen(call(wanted, maps)))
    assert (found is None) is content


def test_rounding_to_five_decimals_is_seen():
    """What float32 would hide shows in float64."""
    output, maps = _double()
    found = find("keeps_precision", seen(call(output, torch.round(maps, decimals=5))), seen(call(output, maps)))
    assert found.code == "precision-lost"


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_what_is_not_finite_is_said_to_be_so(value):
    """A distance of NaN would tell nobody anything."""
    output, maps = _double()
    found = find("keeps_precision", seen(call(output * value, maps)), seen(call(output, maps)))
    assert found.code == "not-finite"
    assert found.message == "In float64, output contains NaN or infinity."


def test_other_shapes_and_things_are_findings():
    """A result that is right in float32 only is none in float64."""
    output, maps = _double()
    expected = seen(call(output, maps))
    assert find("keeps_precision", seen(call(output[:1], maps)), expected).code == "output-shape"
    assert find("keeps_precision", seen(call(Foreign("None"), maps)), expected).actual == "None"


def test_the_line_is_where_something_becomes_shorter():
    """A helper that is made short out of nothing is not it."""
    value = torch.zeros(2)
    tape = (
        Step("full", 3, (), (), value),
        Step("linear", 4, ("Q",), ((2, 3, 6),), value.double()),
        Step("softmax", 5, (1,), ((2, 3, 6),), value),
    )
    output, maps = _double()
    observed = seen(call(output.float(), maps), tape=tape)
    assert find("keeps_precision", observed, seen(call(output, maps))).line == 5
    source, line = submission(scores="scores = (q @ k.mT).float()")
    untaped = {"a": dataclasses.replace(observed["a"], tape=())}
    assert find("keeps_precision", untaped, seen(call(output, maps)), source=source).line == line


def test_a_result_of_another_type_names_the_line():
    """Kind ``returns``: the first step with another type of floating-point number; a boolean is none."""
    output, maps = results()
    tape = (
        Step("invert", 3, ("mask",), ((3, 4),), torch.ones(2, dtype=torch.bool)),
        Step("add", 3, ("Q",), ((2, 3, 6),), torch.zeros(2)),
        Step("split", 3, ("Q",), ((2, 3, 6),)),
        Step("half", 4, ("Q",), ((2, 3, 6),), torch.zeros(2).half()),
    )
    found = find("returns", seen(call(output.half(), maps), tape=tape))
    assert (found.code, found.line) == ("precision-lost", 4)
    assert find("returns", seen(call(output.double(), maps), tape=tape)).code == "wrong-dtype"
    tape = (*tape[:3], Step("fft", 5, ("Q",), ((2, 3, 6),), torch.zeros(2) + 0j))
    assert find("returns", seen(call(output + 0j, maps), tape=tape)).line == 5
    assert find("returns", seen(call(output[:1], maps), tape=tape)).line is None


def test_small_differences_with_half_precision_on_the_tape_are_lost_precision():
    """Kind ``equals_reference``: half precision explains small differences and no large ones."""
    tape = (Step("half", 4, ("Q",), ((2, 3, 6),), torch.zeros(2).half()),)
    output, maps = results()
    expected = seen(call(*_double()))
    found = find("equals_reference", seen(call(output + 1e-3, maps), tape=tape), expected)
    assert (found.code, found.line) == ("precision-lost", 4)
    assert find("equals_reference", seen(call(output + 1, maps), tape=tape), expected).code == "differs-from-reference"
    assert find("equals_reference", seen(call(output + 1e-3, maps)), expected).code == "differs-from-reference"


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ({"softmax": "attn_w = scores.softmax(-1, dtype=torch.float32).to(scores.dtype)"}, None),
        ({"scores": "scores = q @ k.mT / torch.tensor(self.d_k).sqrt()"}, None),
        ({"last": "attn_w = attn_w.float()"}, "split-order/precision"),
        ({"after": "attn_w = torch.round(attn_w * 1e5) / 1e5 + (attn_w - attn_w.detach())"}, "split-order/precision"),
        ({"scores": "scores = (q.half() @ k.mT.half()).to(q.dtype) / math.sqrt(self.d_k)"}, "one-head/equal"),
    ],
)
def test_whole_submissions(judged, passage, expected):
    """Common conversions pass; each loss has one failed check, on its line."""
    source, line = submission(**passage)
    found = failures(judged(source))
    assert found == ({} if expected is None else {expected: ("precision-lost", line)})
