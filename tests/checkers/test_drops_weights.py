"""Kind ``drops_weights``: which attention weights a call in training mode used can be told from what it returned."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers._dropping import Used, surprise
from checkers.base import About, Call, Foreign
from tests.checkers.making import find, seen

B, HEADS, T, WIDTH = 2, 3, 6, 10
ABOUT = About(
    entry="CausalMHA",
    roles={"out": "d_out d_out"},
    returns={"output": "B T d_out"},
    dims={"a": {"B": B, "T": T, "d_out": HEADS * WIDTH, "h": HEADS}},
    arguments={"a": {"dropout": 0.25}},
)
OPTIONS = {"rate": "dropout", "weights": "attn_w", "values": "v_heads", "layer": "out"}
CALLS = 4


class Room:
    """Values, weights and an output layer, drawn from one seed; what a layer makes of other weights."""

    def __init__(self, seed=0):
        self.draw = torch.Generator().manual_seed(seed)
        self.scores = self.randn(B, HEADS, T, T)
        self.late = torch.ones(T, T, dtype=torch.bool).triu(1)
        self.values, self.matrix = self.randn(B, HEADS, T, WIDTH), self.randn(HEADS * WIDTH, HEADS * WIDTH)
        self.bias = self.randn(HEADS * WIDTH)
        self.plain = self.softmax(self.scores)

    def randn(self, *shape):
        return torch.randn(shape, generator=self.draw, dtype=torch.float64)

    def gone(self, share=0.25, shape=(B, HEADS, T, T)):
        return (torch.rand(shape, generator=self.draw) < share).expand(B, HEADS, T, T)

    def softmax(self, scores):
        return scores.masked_fill(self.late, float("-inf")).softmax(-1)

    def joined(self, weights, values=None):
        return (weights @ (self.values if values is None else values)).transpose(1, 2).flatten(2)

    def output(self, weights):
        return self.joined(weights) @ self.matrix.T + self.bias

    def dropped(self, gone, factor=1 / 0.75):
        return self.plain.masked_fill(gone, 0.0) * factor

    def finding(self, *outputs, about=ABOUT, source=""):
        inside = {"attn_w": self.plain, "v_heads": self.values, "out.weight": self.matrix, "out.bias": self.bias}
        plain = Call("tensor", (self.output(self.plain),))
        calls = (plain, *(Call("tensor", (output,)) for output in outputs))
        wanted = (plain, *[dataclasses.replace(plain, inside=inside)] * len(outputs))
        return find("drops_weights", seen(*calls), seen(*wanted), about=about, source=source, **OPTIONS)

    def code(self, made):
        return self.finding(*(self.output(made()) for _ in range(CALLS))).code


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(25))
def test_what_is_dropped_by_chance_is_right(seed, share):
    """Whatever chance decides, weights that are 0 or 1/(1 - p) times as large are what was asked for."""
    room, about = Room(seed), dataclasses.replace(ABOUT, arguments={"a": {"dropout": share}})
    outputs = [room.output(room.dropped(room.gone(share), 1 / (1 - share))) for _ in range(CALLS)]
    assert room.finding(*outputs, about=about) is None


def test_rounding_of_the_factor_is_right():
    """A factor that was worked out in float32 is no other rate."""
    room = Room()
    factor = float(1 / (1 - torch.tensor(0.1)))
    about = dataclasses.replace(ABOUT, arguments={"a": {"dropout": 0.1}})
    outputs = [room.output(room.dropped(room.gone(0.1), factor)) for _ in range(CALLS)]
    assert room.finding(*outputs, about=about) is None


def test_large_numbers_are_right():
    """How exactly the weights can be worked out goes with the size of the values."""
    room = Room()
    room.values *= 1e6
    assert room.finding(*(room.output(room.dropped(room.gone())) for _ in range(CALLS))) is None


def test_a_small_weight_is_held_against_itself():
    """Twice a weight is another weight, however small it is."""
    plain = torch.tensor([[[[0.001, 0.999, 0.0]]]], dtype=torch.float64)
    one = Used(plain, plain, plain, 2 * plain, mixes=True)
    assert one.kept(2.0).tolist() == one.allowed.tolist() == [[[[True, True, False]]]]
    assert not (one.kept(1.0) | one.dropped).any()


def test_nothing_dropped_is_an_argument_that_has_no_effect():
    """The numbers of eval mode in training mode, be it in one call of several, say that nothing was dropped."""
    room = Room()
    drops = [room.output(room.dropped(room.gone())) for _ in range(CALLS - 1)]
    for outputs in ([room.output(room.plain)] * CALLS, [*drops, room.output(room.plain)]):
        assert room.finding(*outputs).code == "dropout-argument-ignored"


@pytest.mark.parametrize(
    ("factor", "share", "code"),
    [
        (1 / 0.9, 0.1, "dropout-argument-ignored"),
        (2.0, 0.5, "dropout-argument-ignored"),
        (1.0, 0.25, "dropout-not-scaled"),
        (1.0000001, 0.25, "dropout-not-scaled"),
        (0.9999999, 0.25, "dropout-not-scaled"),
        (4.0, 0.75, "dropout-rate-turned"),
        (4.0000004, 0.75, "dropout-rate-turned"),
        (0.75, 0.25, "dropout-argument-ignored"),
    ],
)
def test_another_factor_is_told(factor, share, code):
    """What the weights that stay are multiplied by says which rate was meant, if any."""
    room = Room()
    found = room.finding(*(room.output(room.dropped(room.gone(share), factor)) for _ in range(CALLS)))
    assert (found.code, found.expected) == (code, "1.333 = 1/(1 - 0.25) times as large")
    effect = f"as a dropout of {share} does it" if factor > 1.1 else "so the weighted sums become smaller in training"
    assert found.message.endswith(f"{factor:.4g} times as large as without dropout, {effect}.")


@pytest.mark.parametrize(
    ("share", "code"), [(0.75, "dropout-rate-turned"), (0.6, "dropout-share"), (0.02, "dropout-share")]
)
def test_another_share_is_told(share, code):
    """With the right factor, how many weights are gone shows what chance does not explain."""
    room = Room()
    found = room.finding(*(room.output(room.dropped(room.gone(share))) for _ in range(CALLS)))
    assert (found.code, found.expected) == (code, "about 126")
    assert ("Which of the random numbers" in found.next_step) == (code == "dropout-rate-turned")


@pytest.mark.parametrize(
    ("line", "told"), [("x = self.dropout(x)", 6), ("x = dropout(x)", 6), ("x = x.softmax(-1)", None)]
)
def test_the_line_that_drops_is_told(line, told):
    """Whether the dropout is a layer of the module or a function of its own; none where no line drops anything."""
    source = f"class CausalMHA:\n    def __init__(self):\n        self.p = 0.1\n\n    def forward(self, x):\n        {line}\n        return x"
    room = Room()
    assert room.finding(*(room.output(room.dropped(room.gone(0.6))) for _ in range(CALLS)), source=source).line == told


def test_dropping_in_front_of_the_softmax_is_told():
    """Scores that are set to 0 or to minus infinity leave rows that sum to 1, and so does dividing by the sum afterwards."""
    room = Room()

    def again(weights):
        return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)

    made = (
        lambda: room.softmax(room.scores.masked_fill(room.gone(), 0.0) / 0.75),
        lambda: room.softmax(room.scores.masked_fill(room.gone() & ~torch.eye(T, dtype=torch.bool), float("-inf"))),
        lambda: again(room.dropped(room.gone())),
    )
    assert {room.code(each) for each in made} == {"dropout-before-softmax"}


def test_dropping_something_else_is_told():
    """Zeros in the output, in front of the output layer, or in the values are no dropped weights, beside some that are, too."""
    room = Room()

    def hit(tensor):
        return tensor.masked_fill(torch.rand(tensor.shape, generator=room.draw) < 0.25, 0.0) / 0.75

    def through(joined):
        return joined @ room.matrix.T + room.bias

    places = {
        "zeros in it": lambda: hit(room.output(room.plain)),
        "has zeros in it": lambda: hit(room.output(room.dropped(room.gone()))),
        "goes into the output layer": lambda: through(hit(room.joined(room.plain))),
        "the output itself has zeros in it": lambda: torch.cat(
            [
                room.output(room.dropped(room.gone()))[:1],
                hit(room.output(room.plain))[1:],
            ]
        ),
        "no weighted sum": lambda: through(room.joined(room.plain, hit(room.values))),
    }
    for words, made in places.items():
        finding = room.finding(*(made() for _ in range(CALLS)))
        assert finding.code == "dropout-elsewhere"
        assert words in finding.message


def test_one_call_is_enough_to_see_that_something_else_was_dropped():
    """Beside calls in which weights were; what all of those that differ have in common is told, if anything."""
    room = Room()

    def hit(tensor):
        return tensor.masked_fill(torch.rand(tensor.shape, generator=room.draw) < 0.25, 0.0) / 0.75

    def through(joined):
        return joined @ room.matrix.T + room.bias

    drops = [room.output(room.dropped(room.gone())) for _ in range(CALLS - 1)]
    assert "the output itself" in room.finding(*drops, hit(room.output(room.plain))).message
    mixed = through(hit(room.joined(room.plain))), through(room.joined(room.plain, hit(room.values)))
    assert "no weighted sum" in room.finding(*mixed).message


def test_numbers_from_elsewhere_are_no_mixture():
    """What is added beside the weighted sums is seen, though the weights that fit best are those without dropout."""
    room = Room()
    parts = (room.values @ room.matrix.unflatten(1, (HEADS, WIDTH)).permute(1, 2, 0)).flatten(1, 2)
    noise = room.randn(B, T, HEADS * WIDTH)
    beside = noise - noise @ parts.pinverse() @ parts
    assert room.code(lambda: room.plain * 1.0) == "dropout-argument-ignored"
    found = room.finding(*[room.output(room.plain) + beside] * CALLS)
    assert (found.code, "no weighted sum" in found.message) == ("dropout-elsewhere", True)


def test_values_of_which_most_are_dropped_are_no_thinned_sum():
    """The last query sees all tokens, so hardly any of its numbers is 0; an early one sees too few to tell."""
    room, about = Room(), dataclasses.replace(ABOUT, arguments={"a": {"dropout": 0.8}})

    def made():
        values = room.values.masked_fill(torch.rand(room.values.shape, generator=room.draw) < 0.75, 0.0)
        return room.joined(room.plain, values) @ room.matrix.T + room.bias

    assert "no weighted sum" in room.finding(*(made() for _ in range(CALLS)), about=about).message


@pytest.mark.parametrize(
    ("shape", "what"),
    [
        ((1, HEADS, T, T), "sample"),
        ((B, 1, T, T), "head"),
        ((B, HEADS, 1, T), "query"),
        ((B, HEADS, T, 1), "key"),
    ],
)
def test_a_pattern_for_several_weights_is_told(shape, what):
    """Weights that go together always were not dropped one by one."""
    room = Room()
    finding = room.finding(*(room.output(room.dropped(room.gone(shape=shape))) for _ in range(CALLS)))
    assert (finding.code, f"every {what}." in finding.message) == ("dropout-mask-shared", True)


def test_a_pattern_for_several_calls_is_told():
    """A pattern that was drawn once, or from one seed, comes again."""
    room = Room()
    finding = room.finding(*[room.output(room.dropped(room.gone()))] * CALLS)
    assert (finding.code, "every call." in finding.message) == ("dropout-mask-shared", True)


def test_a_weight_that_is_neither_is_shown():
    """Noise on the weights, or a weight on a later token, is told with its place."""
    room = Room()
    noisy = room.finding(*(room.output(room.plain + 0.01 * room.randn(B, HEADS, T, T).tril()) for _ in range(CALLS)))
    late = room.finding(*(room.output(room.scores.masked_fill(room.gone(), 0).softmax(-1) * 2) for _ in range(CALLS)))
    assert {noisy.code, late.code} == {"dropout-odd-weight"}
    assert "sample 0, head 0, query 0, key" in late.message


def test_one_pattern_in_one_call_is_chance():
    """Only what goes together in every call is told."""
    room = Room()
    gone = [room.gone(shape=(B, 1, T, T)), *(room.gone() for _ in range(CALLS - 1))]
    assert room.finding(*(room.output(room.dropped(one)) for one in gone)) is None


def _placed(room, where, size):
    """A number at one place of otherwise empty weights."""
    weights = torch.zeros_like(room.plain)
    weights[where] = size
    return weights


def test_the_first_odd_weight_is_shown_with_what_it_should_be():
    """One call with one odd row is enough, and the others are not looked at for its place."""
    room = Room()
    row = _placed(room, (1, 2, 3), 0.01).tril()
    assert room.finding(room.output(room.plain + row)).code == "dropout-odd-weight"
    drops = [room.output(room.dropped(room.gone())) for _ in range(2)]
    found = room.finding(*drops, room.output(room.dropped(room.gone()) + row))
    assert found.code == "dropout-odd-weight"
    assert "the weight of sample 1, head 2, query 3, key 0 is" in found.message
    assert found.expected == f"0 or {room.plain[1, 2, 3, 0] / 0.75:.4g}"


@pytest.mark.parametrize("nothing", [True, False])
def test_a_weight_on_a_later_token_is_odd(nothing):
    """Beside weights that are dropped as they should be, or that are all gone, one that should not be there is shown."""
    room = Room()
    weights = torch.zeros_like(room.plain) if nothing else room.dropped(room.gone())
    found = room.finding(room.output(weights + _placed(room, (0, 1, 2, 4), 0.1)))
    assert (found.code, found.expected) == ("dropout-odd-weight", "0, since the query may not look at this key")
    assert "sample 0, head 1, query 2, key 4 is 0.1 " in found.message


def test_calls_that_are_wrong_in_different_ways_have_no_common_name():
    """Another factor, or rows that sum to 1, is told only where it holds for all that is wrong."""
    room = Room()
    twice = room.dropped(room.gone(), 2.0)
    one = room.dropped(room.gone())
    noisy = room.plain + 0.01 * room.randn(B, HEADS, T, T).tril()
    late = twice + _placed(room, (0, 0, 0, 5), 0.1)
    for pair in ((twice, noisy), (one / one.sum(-1, keepdim=True).clamp(min=1e-9), noisy), (twice, late)):
        assert room.finding(*map(room.output, pair)).code == "dropout-odd-weight"


@pytest.mark.parametrize(
    ("item", "code"),
    [
        (torch.full((B, T, HEADS * WIDTH), float("nan")), "training-not-finite"),
        (torch.zeros(B, T, HEADS * WIDTH).index_fill(1, torch.tensor([0]), float("inf")), "training-not-finite"),
        (torch.zeros(B, T, 7), "output-shape"),
        (Foreign("None"), "output-shape"),
    ],
)
def test_what_cannot_be_looked_into_is_told(item, code):
    """NaN, another shape, or nothing at all in training mode is a finding of its own."""
    room = Room()
    assert room.finding(item, item).code == code


def test_a_case_that_tells_nothing_is_refused():
    """As many weights as numbers in a row, or no call in training mode, is the author's mistake and no verdict."""
    room = Room()
    with pytest.raises(ValueError, match="training mode"):
        room.finding()
    inside = {
        "attn_w": room.plain,
        "v_heads": room.values,
        "out.weight": room.matrix[:18],
        "out.bias": room.bias[:18],
    }
    call = Call("tensor", (torch.zeros(B, T, 18),), inside=inside)
    about = dataclasses.replace(ABOUT, dims={"a": {"B": B, "T": T, "d_out": 18, "h": HEADS}})
    with pytest.raises(ValueError, match="3 heads of 6 tokens are too many for a result of 18 numbers"):
        find("drops_weights", seen(call), seen(call), about=about, **OPTIONS)


def test_chance_is_bounded_from_above():
    """The share that is seen in n draws is at least as unlikely as exp(-n · surprise) says, so that right answers do not fail."""
    draws, share = 40, 0.25
    found = torch.distributions.Binomial(draws, torch.tensor(share, dtype=torch.float64))
    counts = torch.arange(draws + 1, dtype=torch.float64)
    chances = found.log_prob(counts).exp()
    for count in range(draws + 1):
        tail = chances[: count + 1].sum() if count < share * draws else chances[count:].sum()
        assert tail <= torch.tensor(-draws * surprise(count / draws, share), dtype=torch.float64).exp() + 1e-12
