"""Every kind of check, on observations made by hand: what it finds, what it says, what it lets pass."""

from __future__ import annotations

import dataclasses

import pytest
import torch

import checkers
from checkers import load_kind
from checkers.base import About, Call, Ending, Foreign, Observation, Parameter
from tests.checkers.making import find

ABOUT = About(
    entry="MultiHeadAttention",
    roles={"W_Q": "d_model d_model", "W_O": "d_model d_model"},
    returns={"output": "B T_q d_model", "attn_w": "B h T_q T_k"},
    dims={
        "a": {"B": 2, "T_q": 3, "T_k": 4, "d_model": 6, "h": 3},
        "b": {"B": 2, "T_q": 3, "T_k": 4, "d_model": 6, "h": 6},
    },
    forbidden_calls=("scaled_dot_product_attention",),
)
PARAMETERS = (Parameter("W_Q.weight", (6, 6)), Parameter("W_O.weight", (6, 6)))
BOUND = {"W_Q": "W_Q.weight", "W_O": "W_O.weight"}


def _results(seed=0):
    torch.manual_seed(seed)
    return torch.randn(2, 3, 6), torch.randn(2, 3, 3, 4).softmax(-1)


def _seen(*items, container="tuple", case="a", **changes):
    calls = (Call(container, items or _results()),)
    made = Observation(case, Ending.RETURNED, parameters=PARAMETERS, bound=BOUND, calls=calls)
    return {case: dataclasses.replace(made, **changes)}


def _find(kind, seen, expected=None, **options):
    return find(kind, seen, expected, about=ABOUT, **options)


def test_kinds_are_the_files():
    """A kind is found by its file; helpers and the vocabulary are none."""
    assert "equals_reference" in checkers.kinds()
    assert not {"base", "_shapes"} & set(checkers.kinds())
    with pytest.raises(KeyError):
        load_kind("base")


@pytest.mark.parametrize(
    ("items", "container", "code"),
    [
        ((None,), "none", "nothing-returned"),
        ((torch.zeros(2, 3, 6),), "tensor", "weights-not-returned"),
        ((Foreign("a value of type str"),), "other", "wrong-container"),
        ((torch.zeros(2, 3, 6),) * 3, "tuple", "wrong-container"),
        (tuple(reversed(_results())), "tuple", "return-order-swapped"),
        ((torch.zeros(2, 3, 6), Foreign("None")), "tuple", "not-a-tensor"),
        ((torch.zeros(2, 3, 6), torch.zeros(2, 3, 4)), "tuple", "attn_w-shape"),
        ((torch.zeros(3, 2, 6), torch.zeros(2, 3, 3, 4)), "tuple", "output-shape"),
    ],
)
def test_returns_names_what_came_back_instead(items, container, code):
    """Container, number, order, type and shape each have their own finding."""
    found = _find("returns", _seen(*items, container=container))
    assert found.code == code


def test_returns_reads_a_missing_axis():
    """Weights averaged over the heads lack the axis h, and the message says so."""
    found = _find("returns", _seen(torch.zeros(2, 3, 6), torch.zeros(2, 3, 4)))
    assert "the axis h is missing" in found.message


@pytest.mark.parametrize("container", ["tuple", "list"])
def test_returns_is_content_with_tuple_or_list(container):
    """A named tuple and a list are as good as a tuple."""
    assert _find("returns", _seen(container=container)) is None


@pytest.mark.parametrize(
    ("weights", "code"),
    [
        (torch.randn(2, 3, 3, 4).softmax(-2), "softmax-over-queries"),
        (torch.full((2, 3, 3, 4), 0.3), "rows-do-not-sum-to-one"),
        (torch.tensor([-0.5, 1.5, 0.0, 0.0]).expand(2, 3, 3, 4), "weights-negative"),
        (torch.full((2, 3, 3, 4), torch.nan), "weights-not-finite"),
        (torch.full((2, 3, 3, 4), torch.inf), "weights-not-finite"),
    ],
)
def test_rows_that_are_no_distribution(weights, code):
    """Each way of not being a distribution has its own finding; NaN is no way around."""
    assert _find("rows_sum_to_one", _seen(torch.zeros(2, 3, 6), weights), result="attn_w").code == code


def test_rows_of_a_softmax_are_content():
    """A softmax over the keys passes."""
    assert _find("rows_sum_to_one", _seen(), result="attn_w") is None


def _shifted(output=0.0, weights=0.0):
    out, maps = _results()
    return out + output, maps + weights


@pytest.mark.parametrize("shift", [0.0, 7e-6, -7e-6])
def test_float32_noise_equals_the_reference(shift):
    """What right variants differ by in float32 is inside the tolerance."""
    expected = {"a": _seen(*(item.double() for item in _results()))["a"]}
    assert _find("equals_reference", _seen(*_shifted(shift, 0.0)), expected) is None


@pytest.mark.parametrize(
    ("output", "weights", "side"),
    [(4e-4, 0.0, "After."), (0.0, 4e-4, "Everything else is right, so attn_w"), (4e-4, 4e-4, "Before.")],
)
def test_the_weakest_fault_differs_and_the_side_is_named(output, weights, side):
    """4e-4 is seen, and whether it lies before or after the softmax is said."""
    expected = {"a": _seen(*(item.double() for item in _results()))["a"]}
    found = _find(
        "equals_reference",
        _seen(*_shifted(output, weights)),
        expected,
        weights_differ="Before.",
        weights_agree="After.",
    )
    assert found.code == "differs-from-reference"
    assert found.next_step.startswith(side)
    assert _find("equals_reference", _seen(*_shifted(output, weights)), expected).next_step


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_not_finite_never_equals(value):
    """NaN and infinity are seen before any comparison."""
    out, maps = _results()
    expected = {"a": _seen(out.double(), maps.double())["a"]}
    assert "NaN or infinity" in _find("equals_reference", _seen(out * value, maps), expected).message


def test_another_shape_never_equals_by_broadcasting():
    """A tensor that would broadcast to the right one is still the wrong one."""
    expected = {"a": _seen(torch.ones(2, 3, 6).double(), _results()[1].double())["a"]}
    assert "another shape" in _find("equals_reference", _seen(torch.ones(1, 1, 1), _results()[1]), expected).message


def test_other_dtypes_are_compared_by_value():
    """A boolean or integer result is compared, not crashed on."""
    expected = {"a": _seen(*(item.double() for item in _results()))["a"]}
    for dtype in (torch.bool, torch.int64, torch.float16):
        assert _find("equals_reference", _seen(_results()[0].to(dtype), _results()[1]), expected) is not None


def _twice(first, second):
    maps = _results()[1]
    return _seen(calls=(Call("tuple", (first, maps)), Call("tuple", (second, maps))))


@pytest.mark.parametrize(("position", "leaks"), [(0, True), (1, True), (2, False)])
def test_leakage_is_seen_before_the_changed_token_only(position, leaks):
    """Position 2 may change when tokens from 2 on change; 0 and 1 may not."""
    first = torch.zeros(2, 3, 6)
    second = first.clone()
    second[1, position, 3] = 1e-3
    found = _find("no_leakage", _twice(first, second), result="output", axis=1, before=2)
    assert (found is not None) is leaks


def test_nan_is_leakage():
    """A position that turns into NaN has not stayed as it was."""
    second = torch.full((2, 3, 6), torch.nan)
    assert _find("no_leakage", _twice(torch.zeros(2, 3, 6), second), result="output", axis=1, before=2) is not None


def _layers(**shapes):
    return tuple(Parameter(name.replace("__", "."), shape) for name, shape in shapes.items())


@pytest.mark.parametrize(
    ("parameters", "bound", "code"),
    [
        (PARAMETERS[:1], {"W_Q": "W_Q.weight", "W_O": None}, "matrix-missing"),
        (PARAMETERS[:1], {"W_Q": "W_Q.weight", "W_O": "made.up"}, "matrix-missing"),
        ((), {"W_Q": None, "W_O": None}, "matrix-missing"),
        ((PARAMETERS[0], Parameter("W_O.weight", (6, 6), same_as="W_Q.weight")), BOUND, "one-layer-many-names"),
        ((PARAMETERS[0], Parameter("W_O.weight", (6, 3))), BOUND, "matrix-shape"),
        ((PARAMETERS[0], Parameter("W_O.weight", (0,))), BOUND, "matrix-shape"),
        ((PARAMETERS[0], Parameter("W_O.weight", (6, 6), trainable=False)), BOUND, "frozen-weights"),
        (_layers(a=(6, 6), b=(6, 6), c=(6, 6)), {"W_Q": "a + b", "W_O": "c"}, "matrix-shape"),
        ((*_layers(a=(3, 6)), Parameter("b", (3, 6), trainable=False), *PARAMETERS), BOUND | {"W_Q": "a + b"}, "frozen-weights"),
        (_layers(qo=(12, 6)), {"W_Q": "qo[0:6]", "W_O": "qo[0:6]"}, "one-layer-many-names"),
    ],
)  # fmt: skip
def test_matrices(parameters, bound, code):
    """Missing, shared, misshapen and frozen matrices are told apart, also where a role is cut up or fused."""
    found = _find("matrices", _seen(parameters=parameters, bound=bound))
    assert found.code == code
    if bound is BOUND:
        assert _find("names", _seen(parameters=parameters, bound=bound)) is None


@pytest.mark.parametrize(
    ("hidden", "code", "words"),
    [
        (("layers[0].weight", "layers[1].weight"), "layers-in-plain-list", "layers[0].weight, layers[1].weight"),
        (("W_O",), "matrix-missing", "W_O is a plain tensor"),
        ((), "matrix-missing", "W_Q.weight (6, 6)"),
    ],
)
def test_matrices_that_are_hidden(hidden, code, words):
    """A plain list is named only where layers were seen in one."""
    seen = _seen(parameters=PARAMETERS[:1], bound=BOUND | {"W_O": None}, hidden=hidden)
    found = _find("matrices", seen)
    assert found.code == code
    assert words in found.message


def test_a_wrong_shape_is_said_with_the_sizes_there_are():
    """An exercise may know neither d_model nor h."""
    about = About("Encoder", {"W_Q": "n n"}, {"x": "B n"}, {"a": {"n": 5}})
    found = load_kind("matrices").check(_seen(bound=BOUND), {}, about)
    assert found.message == "W_Q.weight has the wrong shape for n = 5."


DIFFERING = [
    (_layers(query__weight=(6, 6), W_O__weight=(6, 6)), {"W_Q": "query.weight"}, "under the names"),
    (_layers(qo__weight=(12, 6)), {"W_Q": "qo.weight[0:6]", "W_O": "qo.weight[6:12]"}, "W_Q and W_O share one weight, qo.weight (12, 6). Its rows"),
    (_layers(oq=(12, 6)), {"W_Q": "oq[6:12]", "W_O": "oq[0:6]"}, "Its rows were read as W_O and W_Q, in this order"),
    (_layers(qo=(6, 12)), {"W_Q": "qo[:, 0:6].T", "W_O": "qo[:, 6:12].T"}, "Its columns were read as W_Q and W_O"),
    (_layers(qo=(2, 6, 6)), {"W_Q": "qo[0].T", "W_O": "qo[1].T"}, "Its parts were read"),
    (_layers(q__0__weight=(3, 6), q__1__weight=(3, 6), W_O__weight=(6, 6)), {"W_Q": "q.0.weight + q.1.weight"}, "W_Q is cut into one piece per head"),
    (_layers(W_Q=(2, 6, 3), W_O=(2, 3, 6)), {"W_Q": "W_Q", "W_O": "W_O.T"}, "W_Q and W_O are cut into one piece per head"),
    (_layers(W_Q=(6, 6), W_O__weight=(6, 6)), {"W_Q": "W_Q.T"}, "W_Q is a bare nn.Parameter"),
    (_layers(W_Q=(6, 6), W_O=(6, 6)), {"W_Q": "W_Q", "W_O": "W_O"}, "W_Q and W_O are bare nn.Parameters"),
    (_layers(W_Q__weight=(6, 6, 1), W_O__weight=(6, 6)), {"W_Q": "W_Q.weight[:, :, 0]"}, "W_Q does not keep"),
    (_layers(W_Q__weight=(6, 6), W_O__weight=(6, 6)), {"W_Q": "W_Q.weight.T"}, "W_Q does not keep"),
    (_layers(W_Q__weight=(3, 2, 6), W_O__weight=(6, 6)), {}, "W_Q is cut into one piece per head"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "bound", "words"), DIFFERING)
def test_layers_that_differ_cost_the_names_only(parameters, bound, words):
    """Whatever way the matrices are kept, the other checks on layers are content as long as all numbers are there."""
    seen = _seen(parameters=parameters, bound=BOUND | bound)
    found = _find("names", seen)
    assert found.code == "contract-layers-differ"
    assert words in found.message
    assert _find("matrices", seen) is None
    assert _find("no_bias", seen) is None


def test_matrices_and_names_are_content_with_the_contract():
    """The contract's own layers pass."""
    assert _find("matrices", _seen()) is None
    assert _find("names", _seen()) is None
    assert _find("no_bias", _seen()) is None


def test_other_names():
    """Another name is named; a layer that is renamed only is mentioned beside a cut one."""
    renamed = _layers(query__weight=(6, 6), W_O__weight=(6, 6))
    found = _find("names", _seen(parameters=renamed, bound={"W_Q": "query.weight", "W_O": "W_O.weight"}))
    assert found.actual == "self.query"
    both = _find(
        "names", _seen(parameters=_layers(query__weight=(6, 6), o=(6, 6)), bound={"W_Q": "query.weight", "W_O": "o"})
    )
    assert both.actual == "o (6, 6)"
    assert "call query W_Q" in both.next_step


@pytest.mark.parametrize(
    ("biases", "step"),
    [(("W_Q.bias",), "nn.Linear adds"), (("q.0.bias", "b_o"), "nn.Linear adds"), (("b_o", "bias"), "Leave them out")],
)
def test_biases_are_those_that_the_observer_found(biases, step):
    """Each is named; bare ones have a next step of their own, since nobody put them there unasked."""
    found = _find("no_bias", _seen(unclaimed=(*biases, "norm.bias"), biases=biases))
    assert found.actual == ", ".join(biases)
    assert found.next_step.startswith(step)


@pytest.mark.parametrize(("extra", "code"), [((), None), ((Parameter("x", (1,)),), "parameter-count")])
def test_parameter_count(extra, code):
    """One number too many is seen; a shared parameter counts once."""
    shared = Parameter("again.weight", (6, 6), same_as="W_Q.weight")
    found = _find("parameter_count", _seen(parameters=(*PARAMETERS, shared, *extra)), count="2*d_model**2")
    assert (found.code if found else None) == code


@pytest.mark.parametrize("formula", ["d_model.bit_length()", "__import__('os')", "width", "1.5", "d_model +"])
def test_a_formula_is_arithmetic_only(formula):
    """A formula in an exercise can never run code."""
    with pytest.raises(ValueError, match="“"):
        _find("parameter_count", _seen(), count=formula)


def test_only_an_exception_is_a_refusal():
    """Accepting what does not go together is the finding, in the exercise's words; an exception is content."""
    words = {"code": "uneven", "sizes": ["d_model"], "why": "nothing can be shared out", "next_step": "Raise."}
    found = _find("refuses", _seen(), **words)
    assert (found.code, found.next_step) == ("uneven", "Raise.")
    assert found.message == "With d_model = 6 nothing can be shared out, and nothing said so."
    assert _find("refuses", _seen(ending=Ending.RAISED), **words) is None


def _gradients(**values):
    return _seen(calls=(Call("tuple", _results(), (), values),))


@pytest.mark.parametrize(
    ("gradients", "code"),
    [
        ({"W_Q": torch.ones(6, 6), "W_O": torch.ones(6, 6)}, None),
        ({"W_Q": torch.ones(6, 6), "W_O": None}, "matrix-without-gradient"),
        ({"W_Q": torch.ones(6, 6), "W_O": torch.zeros(6, 6)}, "matrix-without-gradient"),
        ({"W_Q": None, "W_O": None}, "gradient-cut"),
        ({}, "gradient-cut"),
    ],
)
def test_every_matrix_gets_a_gradient(gradients, code):
    """A missing gradient and one that is zero everywhere are the same to training."""
    found = _find("learns", _gradients(**gradients))
    assert (found.code if found else None) == code


def test_another_dtype_is_named():
    """Half precision is seen as such, not as small differences; a complex result does not pass for its real part."""
    for dtype, code in (
        (torch.float16, "precision-lost"),
        (torch.bfloat16, "precision-lost"),
        (torch.float64, "wrong-dtype"),
        (torch.complex64, "wrong-dtype"),
    ):
        found = _find("returns", _seen(_results()[0].to(dtype), _results()[1]))
        assert (found.code, found.actual) == (code, str(dtype).removeprefix("torch."))


def test_leakage_needs_the_right_shape_first():
    """With a mask, a scalar in the place of the output is a finding, not a crash."""
    found = _find("no_leakage", _twice(torch.tensor(1.0), torch.tensor(1.0)), result="output", axis=1, before=2)
    assert found.code == "output-shape"


def _recorded(*counts):
    return {
        case: Observation(case, Ending.RETURNED, calls=(Call("tuple", _results(), ("matmul",) * count),))
        for case, count in zip(("a", "b"), counts, strict=True)
    }


@pytest.mark.parametrize(("few", "many", "loops"), [(10, 10, False), (10, 12, False), (10, 13, True), (10, 50, True)])
def test_a_loop_is_one_more_operation_per_head(few, many, loops):
    """h = 3 against h = 6: three operations more is a loop, two is not."""
    assert (_find("no_head_loop", _recorded(few, many)) is not None) is loops


def test_library_attention_is_named():
    """Goes by what was called."""
    calls = (Call("tuple", _results(), ("matmul", "scaled_dot_product_attention")),)
    assert _find("own_work", _seen(calls=calls)).actual == "scaled_dot_product_attention"
    assert _find("own_work", _seen()) is None
