"""What is said to an answer, for every kind of question: wrong, right, and what cannot be read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.samples import SLUG, verdict
from tests.ui.fakes import AFTER, QUIZ
from tutor.marking import LONGEST, about_own, mark, parts_of, standing
from tutor.model import Answer, Mark, Submission, SubmissionState
from tutor.quiz import KINDS, Order, Row
from tutor.sorting import named, shuffled

KNOWN = {question.id: question for question in QUIZ}
EVERY = st.sampled_from(QUIZ)


def test_there_is_a_sample_of_every_kind() -> None:
    """The samples of the tests cover all kinds there are."""
    assert {question.kind for question in QUIZ} == set(KINDS)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("foretell-count", ("16384",), "That counts a full matrix for every head. Each of the four is 32 × 32"),
        ("count-256", ("8*4*256**2",), "You wrote 8*4*256**2, which is 2,097,152. That would be a full set of matrices for every head. How wide"),
        ("count-256", ("7",), "You wrote 7. How wide is the matrix of one head?"),
        ("weights-shape", ("2x5x5",), "You wrote (2, 5, 5). That is one map per sample, without an axis for the heads. Each head"),
        ("w-o-is-fluff", ("true",), "You chose true. What would bring the features of two heads together?"),
        ("split-line", ("`x.view(B, h, T, d_k)`",), "You chose “`x.view(B, h, T, d_k)`”. The shape fits, but"),
        ("eight-times", ("Each of the eight heads has matrices of its own.",), "You chose “Each of the eight heads has matrices of its own.”. It does: three of them."),
        ("recipe", ("1", "3", "2", "4"), "Place 1 is right. On place 2 you have “attend in every head”, which does not come there. What does"),
        ("recipe", ("4", "2", "3", "1"), "On place 1 you have “join the heads”"),
        ("recipe", ("1", "2", "4", "3"), "Places 1 and 2 are right. On place 3"),
        ("right-or-trap", ("holds", "holds"), "1 of 2 are where they belong. Look again:\n\n“Heads are computed one after the other.”: They are one batched product."),
        ("counts", ("1048576", "8*1048576"), "1 of 2 rows are right. Look again:\n\nh 8 · d_k 64: You wrote 8*1048576, which is 8,388,608. That is a full matrix for every head.\n\nMultiply"),
    ],
)  # fmt: skip
def test_a_wrong_answer_says_what_was_seen_and_what_to_think_about(
    name: str, given: tuple[str, ...], says: str
) -> None:
    """What was written, what it would mean where that was foreseen, and a thought to follow; never the answer itself."""
    reply = mark(KNOWN[name], given)
    assert reply.mark is Mark.WRONG
    assert reply.says.startswith(says)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("foretell-count", ("4,096",), "As you predicted. Each of the four is 32 × 32"),
        ("count-256", ("4·256²",), "262,144 is right. The heads share the width"),
        ("weights-shape", ("torch.Size([2, 2, 5, 5])",), "(2, 2, 5, 5) is right. One 5 × 5 map"),
        ("w-o-is-fluff", ("false",), "Yes, this is false. Only W_O mixes"),
        ("split-line", ("`x.view(B, T, h, d_k).transpose(1, 2)`",), "Yes. First the width is taken apart, then the heads move to the front.\n\n“`x.view(B, h, T, d_k)`”: The shape fits"),
        ("eight-times", ("Each of these matrices is as large as that of a single head of full width.",), "Yes. The matrix of one head"),
        ("recipe", ("1", "2", "3", "4"), "Yes, in this order. Each step takes"),
        ("right-or-trap", ("holds", "trap"), "Yes, all 2. Heads differ in what they compare, not in what they see.\n\n“Every head sees all tokens.”: They differ"),
        ("counts", ("1,048,576", "4*512²"), "Yes, all 2 rows. `h` cancels in every row."),
    ],
)  # fmt: skip
def test_a_right_answer_says_why(name: str, given: tuple[str, ...], says: str) -> None:
    """Right is said with its reason, whichever way it is written."""
    reply = mark(KNOWN[name], given)
    assert reply.mark is Mark.RIGHT
    assert reply.says.startswith(says)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("foretell-count", ("a few",), "cannot be read as a number"),
        ("count-256", ("",), "Nothing is written yet"),
        ("weights-shape", ("(B, h, T, T)",), "Here every size is a number"),
        ("w-o-is-fluff", ("",), "Choose true or false"),
        ("split-line", ("",), "Choose one of the answers"),
        ("eight-times", ("something else",), "Choose one of the answers"),
        ("recipe", ("1", "", "3", "4"), "“split into heads” has no place yet. Give every step a place from 1 to 4."),
        ("recipe", ("1", "9", "3", "4"), "“split into heads” has no place yet"),
        ("recipe", ("1", "1", "1", "4"), "Place 1 is taken 3 times"),
        ("recipe", ("2", "3", "3", "4"), "Place 3 is taken 2 times"),
        ("right-or-trap", ("holds", ""), "“Heads are computed one after the other.” is in no bucket yet"),
        ("counts", ("1048576", ""), "h 8 · d_k 64: Nothing is written yet"),
        ("why-heads", ("  ",), "One sentence is enough"),
        ("why-heads", ("x" * (LONGEST + 1),), "longer than 4,000 characters"),
        ("why-heads", ("a\0b",), "an invisible character"),
        ("recipe", ("1", "2"), "other parts"),
    ],
)
def test_what_cannot_be_read_is_no_attempt(name: str, given: tuple[str, ...], says: str) -> None:
    """It is said what is missing, and no mark is given."""
    reply = mark(KNOWN[name], given)
    assert reply.mark is None
    assert says in reply.says


def test_a_prediction_has_the_truth_beside_it() -> None:
    """Right or wrong, the truth is there; so is the model answer beside an answer in one's own words."""
    assert {mark(KNOWN["foretell-count"], (text,)).truth for text in ("4096", "1")} == {"4,096"}
    written = mark(KNOWN["why-heads"], ("because",))
    assert (written.mark, written.truth[:7]) == (Mark.UNMARKED, "A token")


@given(EVERY, st.data())
def test_any_answer_gets_a_reply(question, data) -> None:
    """Whatever stands in the fields, there is a sentence, and only an answer that can be read has a mark."""
    given_ = tuple(data.draw(st.text(max_size=20)) for _ in range(parts_of(question)))
    reply = mark(question, given_)
    assert reply.says or reply.truth


def _answer(name: str, text: str, mark_: Mark, best: Mark | None = None) -> Answer:
    return Answer(question=name, text=text, mark=mark_, answered_at=datetime.now(UTC), best=best or mark_)


def test_a_question_stands_as_its_answers_leave_it() -> None:
    """Right once is done for good; a prediction is done when made, one's own words when marked; a stale answer is left out."""
    assert not standing(KNOWN["count-256"], None).done
    again = standing(KNOWN["count-256"], _answer("count-256", "7", Mark.WRONG, Mark.RIGHT))
    assert (again.done, again.given, again.mark) == (True, ("7",), Mark.WRONG)
    assert not standing(KNOWN["count-256"], _answer("count-256", "7", Mark.WRONG)).done
    assert standing(KNOWN["foretell-count"], _answer("foretell-count", "7", Mark.WRONG)).done
    assert not standing(KNOWN["why-heads"], _answer("why-heads", "a\nb", Mark.UNMARKED)).done
    assert standing(KNOWN["why-heads"], _answer("why-heads", "a\nb", Mark.PARTLY)).given == ("a\nb",)
    assert standing(KNOWN["recipe"], _answer("recipe", "1\n3\n2\n4", Mark.WRONG)).given == ("1", "3", "2", "4")
    stale = standing(KNOWN["recipe"], _answer("recipe", "1\n2", Mark.RIGHT))
    assert (stale.given, stale.reply) == ((), None)


def test_an_answer_of_two_parts_is_taken_apart() -> None:
    """Two lines are two parts, as many as the question has."""
    assert standing(KNOWN["counts"], _answer("counts", "1\n2", Mark.WRONG)).given == ("1", "2")


def test_the_longest_answer_is_taken() -> None:
    """What is as long as is allowed is an answer, all its parts together."""
    assert mark(KNOWN["why-heads"], ("x" * LONGEST,)).mark is Mark.UNMARKED
    assert "longer" in mark(KNOWN["counts"], ("1" * (LONGEST - 1), "12")).says


def test_the_question_about_own_code_belongs_to_one_submission() -> None:
    """Each submission that passed has its own, so no answer is kept for another; without a verdict or a question there is none."""
    passed = Submission(
        id=7, learner_id=1, slug=SLUG, exercise_version=1, source="", state=SubmissionState.DONE, submitted_at=datetime.now(UTC),
        verdict=verdict().model_copy(update={"after": AFTER}),
    )  # fmt: skip
    assert AFTER.question is not None
    assert about_own(passed) == AFTER.question.model_copy(update={"id": f"{AFTER.question.id}-7"})
    for found in (None, verdict(), verdict().model_copy(update={"after": AFTER.model_copy(update={"question": None})})):
        assert about_own(passed.model_copy(update={"verdict": found})) is None


def test_steps_are_never_offered_in_their_order() -> None:
    """The order is the same every time, holds every step, is not the right one, and differs from id to id."""
    offered = set()
    for number in range(300):
        question = Order(kind="order", id=f"q-{number}", ask="?", why=".", think="?", steps=("a", "b", "c"))
        order = shuffled(question)
        assert sorted(order) == [0, 1, 2] != list(order)
        assert order == shuffled(question)
        offered.add(order)
    assert len(offered) == 5


def test_a_row_is_named_by_what_is_given() -> None:
    """One cell is its own name; several carry the names of their columns."""
    alone = KNOWN["counts"].model_copy(update={"head": ("layer", "parameters")})
    assert named(alone, Row(given=("W_Q",), answer="4")) == "W_Q"
    assert [named(KNOWN["counts"], row) for row in KNOWN["counts"].rows] == ["h 1 · d_k 512", "h 8 · d_k 64"]
