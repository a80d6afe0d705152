"""Learning questions as data: what an author gets wrong is named, and what we ask is in order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.ui.fakes import QUIZ
from tutor.catalog import load_exercise
from tutor.content import Exercise
from tutor.errors import ContentError
from tutor.marking import mark, parts_of
from tutor.model import Mark
from tutor.quiz import KINDS, Buckets, Choice, Claim, Foreseen, Order, Row, Table, Truth
from tutor.quizzes import load_quiz
from tutor.settings import PROJECT

SAMPLE = PROJECT / "tests" / "ui" / "questions" / "quiz.toml"
OURS = sorted((PROJECT / "exercises").glob("*/quiz.toml"))
QUESTIONS = [(path.parent.name, question) for path in OURS for question in load_quiz(path.parent)]

NUMBER = 'id = "count-256"\nkind = "number"'
MISTAKES = {
    "syntax": ("[[questions]]", "[[questions]", "", "is not valid TOML"),
    "format": ("format = 1", "format = 2", "format", "must be 1, the only format there is."),
    "other key": ("format = 1", "format = 1\nquiz = 1", "quiz", "unknown key; allowed: format, questions."),
    "no kind": ('\nkind = "predict"', "", "questions.0.kind", "is missing; allowed: number, shape, truth, predict, choice"),
    "kind": ('kind = "predict"', 'kind = "guess"', "questions.0.kind", "'guess' is no kind of question; allowed: number"),
    "unknown key": (NUMBER, f"{NUMBER}\nhint = 'x'", "questions.1.hint", "unknown key; allowed: about, answer, ask, foreseen, id, kind, think, why."),
    "unknown key inside": ("{ answer = \"8*4*256**2\", says", "{ anwser = 1, answer = \"8*4*256**2\", says", "questions.1.foreseen.0.anwser", "allowed: answer, says."),
    "missing": ('think = "How wide is the matrix of one head?"', "", "questions.1.think", "is missing."),
    "blank": ('why = "Only W_O mixes what the heads found."', 'why = " "', "questions.3.why", "must not be blank"),
    "no id": ('id = "count-256"', 'id = "Count 256"', "questions.1.id", "small letters"),
    "id twice": ('id = "count-256"', 'id = "foretell-count"', "questions.1.id", "“foretell-count” appears more than once"),
    "answer": ('answer = "4*256**2"', 'answer = "many"', "questions.1.answer", "'many' is no number. This cannot be read"),
    "answer is no text": ('answer = "4*256**2"', "answer = 262144", "questions.1.answer", "valid string"),
    "shape": ('answer = "(2, 2, 5, 5)"', 'answer = "(2, , 5)"', "questions.2.answer", "is no shape. A size is missing"),
    "of": ('of = "number"\nabout', 'of = "count"\nabout', "questions.0.of", "'number', 'shape' or 'truth'"),
    "foretold truth": ('of = "number"\nabout', 'of = "truth"\nabout', "questions.0.answer", "'4*32**2' is no truth. Nothing is chosen yet"),
    "foreseen": ('{ answer = "8*4*256**2"', '{ answer = "?"', "questions.1.foreseen.0.answer", "'?' is no number"),
    "foreseen is right": ('{ answer = "8*4*256**2"', '{ answer = "262144"', "questions.1.foreseen.0.answer", "'262144' is '4*256**2', which is the right answer."),
    "foreseen twice": ('foreseen = [{ answer = "8*4*256**2"', 'foreseen = [{ answer = "2097152", says = "x" }, { answer = "8*4*256**2"', "questions.1.foreseen.1.answer", "is '2097152', which is foreseen above."),
    "two are right": ("text = \"`x.view(B, h, T, d_k)`\"\nsays", "text = \"`x.view(B, h, T, d_k)`\"\nright = true\nsays", "questions.4.options", "exactly one must have right = true; 2 have it."),
    "no reason": ("says = \"There is no axis for the heads in it.\"", "", "questions.4.options.2.says", "is missing."),
    "option twice": ("`x.view(B, T * h, d_k)`", "`x.view(B, h, T, d_k)`", "questions.4.options", "appears more than once"),
    "no error": ("error = true", "", "questions.5.parts", "exactly one must have error = true; 0 have it."),
    "step twice": ('"join the heads"]', '"project"]', "questions.6.steps", "“project” appears more than once"),
    "two steps": ('["project", "split into heads", "attend in every head", "join the heads"]', '["a", "b"]', "questions.6.steps", "at least 3 items"),
    "bucket": ('bucket = "trap"', 'bucket = "traps"', "questions.7.items.1.bucket", "“traps” is no bucket; allowed: holds, trap."),
    "cells": ('given = ["1", "512"]', 'given = ["1"]', "questions.8.rows.0.given", "has 1 cells; the head leaves room for 2."),
    "cell": ('answer = "4*512**2"\n\n', 'answer = "x"\n\n', "questions.8.rows.0.answer", "'x' is no number"),
    "no model": ("\nmodel =", "\nmodell =", "questions.9.model", "is missing."),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named(tmp_path: Path, mistake: tuple[str, str, str, str]) -> None:
    """File, key, what is wrong and what is allowed."""
    before, after, key, problem = mistake
    text = SAMPLE.read_text()
    assert before in text
    (tmp_path / "quiz.toml").write_text(text.replace(before, after, 1))
    with pytest.raises(ContentError) as caught:
        load_quiz(tmp_path)
    assert caught.value.file == f"{tmp_path.name}/quiz.toml"
    assert caught.value.key == key
    assert problem in caught.value.problem


@pytest.mark.parametrize("text", ["format = 1\nquestions = 3\n", "format = 1\n", "format = 1\nquestions = [1]\n"])
def test_questions_are_tables(tmp_path: Path, text: str) -> None:
    """A quiz without a question says how one begins."""
    (tmp_path / "quiz.toml").write_text(text)
    with pytest.raises(ContentError, match=r"questions: must be one \[\[questions\]\] or several"):
        load_quiz(tmp_path)


def test_an_exercise_may_have_no_questions(tmp_path: Path) -> None:
    """Without a quiz.toml there are none, and a quiz.toml without an exercise.toml stands for itself."""
    assert load_quiz(tmp_path) == ()
    shutil.copy(SAMPLE, tmp_path / "quiz.toml")
    assert load_quiz(tmp_path) == QUIZ


def test_a_question_about_nothing_is_named(tmp_path: Path) -> None:
    """A check that is foretold must be there; the complaint lists those that are."""
    slug = "multi-head-attention"
    shutil.copytree(PROJECT / "exercises" / slug, tmp_path / slug)
    path = tmp_path / slug / "quiz.toml"
    path.write_text(path.read_text().replace('about = "skeleton/count"', 'about = "skeleton/cuont"', 1))
    with pytest.raises(ContentError) as caught:
        load_exercise(tmp_path / slug, PROJECT / "reference")
    assert (caught.value.file, caught.value.key) == (f"{slug}/quiz.toml", "questions.0.about")
    assert "“skeleton/cuont” is no check; allowed: skeleton/loads" in caught.value.problem


def _right(question) -> tuple[str, ...]:
    match question:
        case Choice() | Claim():
            picks = question.options if isinstance(question, Choice) else question.parts
            right = [pick.text for pick in picks if getattr(pick, "right", False) or getattr(pick, "error", False)]
        case Order():
            right = [str(place) for place in range(1, parts_of(question) + 1)]
        case Buckets():
            right = [item.bucket for item in question.items]
        case Table():
            right = [row.answer for row in question.rows]
        case Truth():
            right = [str(question.answer).lower()]
        case _:
            right = [question.model if question.kind == "open" else question.answer]
    return tuple(right)


@pytest.mark.parametrize(("slug", "question"), QUESTIONS, ids=[f"{slug}:{one.id}" for slug, one in QUESTIONS])
def test_every_question_of_ours_can_be_answered(slug: str, question) -> None:
    """The right answer is marked right, and every wrong one that can be foreseen is marked wrong and gets its sentence."""
    right = mark(question, _right(question))
    assert right.mark is (Mark.UNMARKED if question.kind == "open" else Mark.RIGHT)
    options = getattr(question, "options", ()) or getattr(question, "parts", ())
    for option in options:
        if option.says:
            assert option.says in mark(question, (option.text,)).says
    for one in getattr(question, "foreseen", ()):
        reply = mark(question, (one.answer,))
        assert (reply.mark, one.says in reply.says) == (Mark.WRONG, True)
    for number, row in enumerate(getattr(question, "rows", ())):
        for one in row.foreseen:
            given = [*_right(question)]
            given[number] = one.answer
            reply = mark(question, tuple(given))
            assert (reply.mark, one.says in reply.says) == (Mark.WRONG, True)


def test_all_exercises_have_questions_and_all_kinds_are_used() -> None:
    """Six exercises have questions; every kind occurs in what we ask."""
    assert len(OURS) >= 6
    assert {question.kind for _, question in QUESTIONS} == set(KINDS)


def test_no_question_of_ours_gives_its_answer_away() -> None:
    """A sentence that follows a wrong number does not contain the right one."""
    for _, question in QUESTIONS:
        if question.kind not in {"number", "shape"}:
            continue
        right = mark(question, _right(question)).says.partition(" is right.")[0]
        told = [question.ask, question.think, *(one.says for one in question.foreseen)]
        assert all(right not in text.split() for text in told), question.id


@pytest.mark.parametrize("model", [*KINDS.values(), Foreseen, Row], ids=lambda model: model.__name__)
def test_every_key_is_documented(model) -> None:
    """The format's page names each key of each kind of question."""
    page = (PROJECT / "docs" / "exercise-format.md").read_text()
    section = page[page.index("## quiz.toml") :]
    keys = set(model.model_fields)
    for field in model.model_fields.values():
        for inner in getattr(field.annotation, "__args__", ()):
            keys |= set(getattr(inner, "model_fields", ()))
    assert [key for key in sorted(keys) if f"`{key}`" not in section] == []


def test_every_kind_is_documented() -> None:
    """The format's page explains each kind of question, and quiz is a file and no key of exercise.toml."""
    page = (PROJECT / "docs" / "exercise-format.md").read_text()
    assert [kind for kind in KINDS if f"| `{kind}` |" not in page] == []
    assert "quiz" in Exercise.model_fields
