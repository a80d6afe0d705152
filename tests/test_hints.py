"""The hint ladder, without a page."""

from __future__ import annotations

import re
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.samples import verdict
from tutor.catalog import Catalog
from tutor.hints import RUNGS, Rung, height, rungs
from tutor.model import Diagnosis, Status, Verdict
from tutor.traps import wording

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


def test_code_of_several_lines_keeps_its_indentation() -> None:
    """A block whose first line stands at the margin is code as it is written."""
    text = "if d % h != 0:\n    raise ValueError(h)"
    assert Rung(text, 3, 3, 1, 1).code == text
    assert Rung(f"\n    {text.replace(chr(10), chr(10) + '    ')}\n", 3, 3, 1, 1).code == text


def test_code_in_a_last_rung_is_marked_as_code(catalog: Catalog) -> None:
    """What a learner may copy is code from end to end, or stands between backticks."""
    last = {f"{one.slug}/{trap.id}": trap.hints[-1] for one in catalog.exercises for trap in one.traps}
    unmarked = {
        name: text
        for name, text in last.items()
        if not Rung(text, RUNGS, RUNGS, 1, 1).code
        and re.search(r"\w\(\w|\w\.\w+\(| = \w", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL))
    }
    assert len(last) > 200
    assert unmarked == {}


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


def test_what_two_causes_share_comes_once_with_the_last_of_them() -> None:
    """The corrected expression of both is no rung of the first: it would give away the second before its question."""
    shared = TWO.model_copy(update={"hints": ("1?", "1b", "x = 1", "2?", "2b", " x =  1\n")})
    shown, following = rungs(shared, height(_failed(shared)))
    assert following is None
    assert [(rung.text, rung.number, rung.of, rung.trap) for rung in shown] == [
        ("1?", 1, 2, 1),
        ("1b", 2, 2, 1),
        ("2?", 1, 3, 2),
        ("2b", 2, 3, 2),
        (" x =  1\n", 3, 3, 2),
    ]
    assert {rung.traps for rung in shown} == {2}


# Few different words and much white space, so that many rungs are alike.
_RUNGS = st.lists(st.from_regex(r"\A[ \n]?[ab][ \n]{1,2}[ab]\Z"), max_size=3 * RUNGS)


@given(hints=_RUNGS)
def test_no_ladder_says_anything_twice(hints: list[str]) -> None:
    """Whatever the hints are, each is said, none is said twice, every step shows one more, and the count agrees."""
    ladder = ONE.model_copy(update={"hints": tuple(hints)})
    shown, following = rungs(ladder, len(hints))
    said = [wording(rung.text) for rung in shown]
    assert following is None
    assert len(said) == len(set(said)) == height(_failed(ladder))
    assert set(said) == {wording(hint) for hint in hints}
    assert [rungs(ladder, taken)[1] for taken in range(len(shown))] == list(shown)
    places = [(rung.trap, rung.number) for rung in shown]
    assert places == sorted(places)
    assert all(1 <= rung.number <= rung.of <= RUNGS and rung.trap <= rung.traps for rung in shown)


def test_no_hint_of_the_exercises_is_said_twice(catalog: Catalog) -> None:
    """Not within a trap, and not where any two are named together; only the corrected expression is one of several traps."""
    for exercise in catalog.exercises:
        ways_there = [wording(hint) for trap in exercise.traps for hint in trap.hints[:-1]]
        assert len(ways_there) == len(set(ways_there)), exercise.slug
        for one, other in permutations(exercise.traps, 2):
            both = Diagnosis(traps=(one.id, other.id), how="Both.", hints=(*one.hints, *other.hints))
            said = [wording(rung.text) for rung in rungs(both, 2 * RUNGS)[0]]
            assert len(said) == len(set(said)) >= 2 * RUNGS - 1, (exercise.slug, one.id, other.id)


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
