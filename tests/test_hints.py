"""The hint ladder, without a page."""

from __future__ import annotations

import pytest

from tests.store.samples import verdict
from tutor.hints import Rung, height, rungs
from tutor.model import Diagnosis, Status, Verdict

ONE = Diagnosis(traps=("a",), how="Because.", line=3, hints=("why?", "how", "so"))
TWO = Diagnosis(traps=("a", "b"), how="Because of two.", hints=("1?", "1b", "1c", "2?", "2b", "2c"))


def _failed(diagnosis: Diagnosis | None, status: Status = Status.FAILED) -> Verdict:
    return verdict().model_copy(update={"status": status, "diagnosis": diagnosis})


def test_nothing_is_shown_before_it_is_asked_for() -> None:
    """At first no rung is shown, and the question comes next."""
    assert rungs(ONE, 0) == ((), Rung("why?", 1, 3, 1, 1))


def test_rungs_come_one_at_a_time_and_stay() -> None:
    """Each step shows one more, in order, and the earlier ones with it; after the last nothing comes next."""
    texts = [[rung.text for rung in rungs(ONE, taken)[0]] for taken in range(4)]
    assert texts == [[], ["why?"], ["why?", "how"], ["why?", "how", "so"]]
    assert rungs(ONE, 3)[1] is None


def test_the_ladder_goes_trap_by_trap() -> None:
    """The second trap begins with its question when the first is finished, and counts from one again."""
    shown, following = rungs(TWO, 3)
    assert [(rung.text, rung.number, rung.trap) for rung in shown] == [("1?", 1, 1), ("1b", 2, 1), ("1c", 3, 1)]
    assert following == Rung("2?", 1, 3, 2, 2)
    assert rungs(TWO, 6)[0][-1] == Rung("2c", 3, 3, 2, 2)


@pytest.mark.parametrize(("taken", "shown"), [(-1, 0), (99, 3)])
def test_a_count_out_of_range_is_all_or_nothing(taken: int, shown: int) -> None:
    """A count that this diagnosis cannot have shows none of the hints, or all that there are."""
    assert len(rungs(ONE, taken)[0]) == shown


def test_fewer_rungs_than_three_are_counted_as_they_are() -> None:
    """A ladder that ends early says so in its count; one without hints has no rung."""
    short = ONE.model_copy(update={"hints": ("1?", "1b", "1c", "2?")})
    assert rungs(short, 3)[1] == Rung("2?", 1, 1, 2, 2)
    assert rungs(ONE.model_copy(update={"hints": ()}), 0) == ((), None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = q / math.sqrt(d_k)", "x = q / math.sqrt(d_k)"),
        ("\n    return out, w\n", "return out, w"),
        ("Line 8: `x = q / 2`", ""),
        ("Divide by the root of d_k.", ""),
        ("Nothing", ""),
        ("x = '\0'", ""),
    ],
)
def test_a_last_rung_that_is_python_is_code(text: str, code: str) -> None:
    """The corrected expression is code where the rung is nothing else; a rung with words, or an earlier one, is not."""
    assert Rung(text, 3, 3, 1, 1).code == code
    assert Rung(text, 2, 3, 1, 1).code == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, 0),
        (_failed(None), 0),
        (_failed(ONE), 3),
        (_failed(TWO), 6),
        (_failed(ONE, Status.PASSED), 0),
        (_failed(ONE, Status.BROKEN), 0),
    ],
)
def test_only_a_failure_with_a_known_reason_has_hints(given: Verdict | None, expected: int) -> None:
    """There are hints where a verdict failed and the reason is known, and nowhere else."""
    assert height(given) == expected
