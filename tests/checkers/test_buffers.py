"""The kind ``buffers``: what belongs to a module without being learned is registered, large enough, and used."""

from __future__ import annotations

import pytest

from checkers.base import Kept, Parameter, Step
from tests.checkers.making import ABOUT, find, seen

OPTIONS = {"what": "the mask", "shape": "T_q T_q"}  # 3 × 3 in case a
MASK = Kept("mask", (3, 3), buffer=True)


def _found(*kept, **changes):
    return find("buffers", seen(kept=kept, **changes), **OPTIONS)


@pytest.mark.parametrize("shape", [(3, 3), (1, 3, 3), (1, 1, 3, 3), (9,), (4, 4), (1, 3, 1, 3)])
def test_any_buffer_with_room_for_it_will_do(shape):
    """Axes of one, one long row and a larger table are all right, whatever the buffer is called and wherever it is."""
    assert _found(Kept("a.b", shape, buffer=True)) is None
    assert (
        _found(Kept("scale", (), buffer=True), Kept("a", shape, buffer=True), Kept("c", (3, 3), buffer=False)) is None
    )


def test_a_plain_attribute_is_none():
    """It is named, and so is what happens to it."""
    found = _found(Kept("masks['causal']", (3, 3), buffer=False), Kept("small", (2, 2), buffer=True))
    assert (found.code, found.expected) == ("not-a-buffer", "a buffer of shape (3, 3) = (T_q, T_q)")
    assert found.message.startswith("The mask is kept as a plain attribute, masks['causal']: it stays behind")


def test_a_parameter_is_none():
    """One that no role has and that is large enough for it was meant as it; a weight was not."""
    parameters = (Parameter("W_Q.weight", (6, 6)), Parameter("mask", (3, 3)))
    found = _found(parameters=parameters, unclaimed=("mask",))
    assert (found.code, found.actual) == ("non-weight-parameter", "mask among the parameters")
    assert _found(parameters=parameters).code == "buffer-missing"


def test_nothing_is_held():
    """What is there instead is told: too small a buffer, or none."""
    assert _found().actual == "no buffer at all"
    found = _found(Kept("mask", (2, 3), buffer=True))
    assert (found.code, found.actual) == ("buffer-missing", "mask (2, 3)")
    assert "holds no buffer with 9 numbers" in found.message


def test_a_small_attribute_is_not_meant_as_it():
    """It is neither named as what should have been a buffer nor told among the buffers."""
    found = _found(Kept("small", (2, 2), buffer=False))
    assert (found.code, found.actual) == ("buffer-missing", "no buffer at all")


def test_of_many_buffers_a_few_are_told():
    """Four are enough to see what kind of thing is held instead."""
    found = _found(*(Kept(f"b{number}", (2,), buffer=True) for number in range(6)))
    assert found.actual == "b0 (2,), b1 (2,), b2 (2,), b3 (2,)"


def test_it_has_to_be_used():
    """A tape on which nothing takes the buffer tells that the mask which counts is another one; no tape tells nothing."""
    idle = (Step("matmul", 3, ("x", "parameter:W_Q.weight"), ((2, 3), (6, 6))),)
    found = _found(MASK, tape=idle)
    assert (found.code, found.expected) == ("buffer-unused", "forward reads self.mask")
    assert _found(MASK, tape=(*idle, Step("__getitem__", 4, ("buffer:mask",), ((3, 3),)))) is None
    assert _found(MASK) is None


def test_a_long_name_is_the_one_on_the_tape():
    """Names on a tape are cut, so the comparison cuts, too."""
    name = f"{'a' * 115}.mask"
    step = Step("__getitem__", 4, (f"buffer:{name}"[:120],), ((3, 3),))
    assert _found(Kept(name, (3, 3), buffer=True), tape=(step,)) is None


def test_the_size_is_that_of_the_case():
    """Each case has its own."""
    about = ABOUT
    assert (
        find("buffers", seen(kept=(MASK,), case="b"), about=about, what="the mask", shape="T_k T_k").code
        == "buffer-missing"
    )
