"""How good an answer to a learning question is. Pure: it knows neither the store nor the page.

An answer is a tuple of texts: one for most kinds, the place of each step, the bucket of each item, the last cell of each row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tutor.answers import Unclear, as_shown, read, same, shown
from tutor.model import Answer, Mark, Submission
from tutor.quiz import Asked, Buckets, Choice, Claim, Number, Open, Order, Predict, Question, Shape, Table, Truth
from tutor.replies import Given, Reply, clear, meant, seen
from tutor.sorting import mark_buckets, mark_order, mark_table

LONGEST = 4_000
_INVISIBLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Standing:
    """One question as it stands for one learner: the newest answer, what is said to it, and whether the question is done."""

    question: Question
    given: Given = ()
    reply: Reply | None = None
    mark: Mark | None = None
    done: bool = False


def about_own(passed: Submission) -> Question | None:
    """The question about the code of a submission that passed, under an id of its own."""
    after = passed.verdict.after if passed.verdict else None
    if after is None or after.question is None:
        return None
    return after.question.model_copy(update={"id": f"{after.question.id}-{passed.id}"})


def parts_of(question: Asked) -> int:
    """How many texts an answer to it has."""
    match question:
        case Order():
            return len(question.steps)
        case Buckets():
            return len(question.items)
        case Table():
            return len(question.rows)
    return 1


def standing(question: Question, answer: Answer | None) -> Standing:
    """How a question stands after the newest answer; one that does not fit the question any more is left out.

    A prediction is done once it is made, an answer in one's own words once it is marked, any other question once it was answered right.
    """
    if answer is None:
        return Standing(question)
    given = tuple(answer.text.split("\n")) if parts_of(question) > 1 else (answer.text,)
    reply = mark(question, given)
    if reply.mark is None:
        return Standing(question)
    done = answer.best is Mark.RIGHT or (isinstance(question, Predict | Open) and answer.best is not Mark.UNMARKED)
    return Standing(question, given, reply, answer.mark, done)


def mark(question: Question, given: Given) -> Reply:
    """Mark an answer.

    Args:
        question: what was asked.
        given: as many texts as ``parts_of`` says.
    """
    problem = _unfit(question, given)
    if problem:
        return Reply(None, problem)
    match question:
        case Order():
            return mark_order(question, given)
        case Buckets():
            return mark_buckets(question, given)
        case Table():
            return mark_table(question, given)
        case _:
            return _single(question, given[0])


def _unfit(question: Question, given: Given) -> str:
    """Why an answer cannot be taken at all; empty if it can."""
    if len(given) != parts_of(question):
        return "This answer has other parts than the question. Answer it once more."
    if sum(map(len, given)) > LONGEST:
        return f"This answer is longer than {LONGEST:,} characters. Say it in fewer words."
    if _INVISIBLE.search("".join(given)):
        return "There is an invisible character in this answer that cannot be kept. Type the answer anew."
    return ""


def _single(question: Number | Shape | Truth | Predict | Choice | Claim | Open, text: str) -> Reply:
    match question:
        case Number() | Shape():
            return _written(question, text)
        case Truth():
            return _truth(question, text)
        case Predict():
            return _prediction(question, text)
        case Choice() | Claim():
            return _pick(question, text)
        case Open() if text.strip():
            return Reply(Mark.UNMARKED, question.why, question.model)
    return Reply(None, "Nothing is written yet. One sentence is enough; then compare it with the model answer.")


def _written(question: Number | Shape, text: str) -> Reply:
    found = clear(question.kind, text, question.answer)
    if isinstance(found, Unclear):
        return Reply(None, found.why)
    if same(found, read(question.kind, question.answer)):
        return Reply(Mark.RIGHT, f"{shown(found)} is right. {question.why}")
    return Reply(Mark.WRONG, f"{seen(found, text)} {meant(question.kind, found, question.foreseen)}{question.think}")


def _truth(question: Truth, text: str) -> Reply:
    found = read("truth", text)
    if isinstance(found, Unclear):
        return Reply(None, found.why)
    if found == question.answer:
        return Reply(Mark.RIGHT, f"Yes, this is {text}. {question.why}")
    return Reply(Mark.WRONG, f"You chose {text}. {question.think}")


def _prediction(question: Predict, text: str) -> Reply:
    found, truth = clear(question.of, text, question.answer), as_shown(question.of, question.answer)
    if isinstance(found, Unclear):
        return Reply(None, found.why)
    if same(found, read(question.of, question.answer)):
        return Reply(Mark.RIGHT, f"As you predicted. {question.why}", truth)
    return Reply(Mark.WRONG, f"{meant(question.of, found, question.foreseen)}{question.why}", truth)


def _pick(question: Choice | Claim, text: str) -> Reply:
    """One of several texts; the right one has no reason against it."""
    reasons = _reasons(question)
    if text not in reasons:
        return Reply(None, "Nothing is chosen yet. Choose one of the answers.")
    against = reasons[text]
    if against is None:
        others = [f"“{other}”: {reason}" for other, reason in reasons.items() if reason is not None]
        return Reply(Mark.RIGHT, "\n\n".join([f"Yes. {question.why}", *others]))
    return Reply(Mark.WRONG, f"You chose “{text}”. {against}")


def _reasons(question: Choice | Claim) -> Mapping[str, str | None]:
    if isinstance(question, Choice):
        return {option.text: None if option.right else option.says for option in question.options}
    return {part.text: None if part.error else part.says for part in question.parts}
