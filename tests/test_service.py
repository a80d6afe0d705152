"""``Tutor``, the one door for the pages, with a store in memory and a checker in the same thread."""

from __future__ import annotations

import time

import pytest

from tests.store.samples import SLUG, statuses, verdict
from tutor.catalog import Catalog
from tutor.content import Check, Entry, Exercise, Milestone
from tutor.dispatch.inline import InlineDispatch
from tutor.intake import Limits
from tutor.model import Diagnosis, Draft, Learner, Refusal, Status, Submission, SubmissionState, Verdict
from tutor.service import Tutor
from tutor.store.memory import MemoryStore
from tutor.worker import Worker

LIMIT = 500
WHY = Diagnosis(traps=("missing-scale",), how="Nothing divides the scores.", line=8, hints=("why?", "how", "so"))


def exercise(slug: str) -> Exercise:
    return Exercise(
        slug=slug,
        title="Title",
        summary="Summary.",
        version=4,
        entry=Entry(kind="class", name="MultiHeadAttention", positional=("Q",), returns={"output": "B T d"}),
        roles=(),
        cases=(),
        milestones=(
            Milestone(
                id="skeleton",
                title="Skeleton",
                goal="Stand.",
                checks=(Check(id="loads", title="Loads", kind="completes", cases=("load",)),),
            ),
        ),
        statement="Do it.",
        starter="class MultiHeadAttention: ...",
        reference="class MultiHeadAttention: ...",
    )


def judge(submission: Submission) -> Verdict:
    if "good" in submission.source:
        return verdict({"skeleton": Status.PASSED})
    failed = verdict({"skeleton": Status.FAILED}, Status.FAILED)
    return failed.model_copy(update={"diagnosis": WHY}) if "known" in submission.source else failed


def give_up(submission: Submission, reason: str) -> Verdict:
    return verdict(status=Status.BROKEN)


class Desk:
    """A tutor with everything around it in sight of the test."""

    def __init__(self, *, asleep: bool = False, limits: Limits | None = None) -> None:
        self.store = MemoryStore()
        self.worker = Worker(
            self.store, judge, give_up, name="w", concurrency=1, lease_seconds=9, on_done=lambda number: None
        )  # fmt: skip
        self.dispatch = InlineDispatch((lambda number: None) if asleep else self.worker.handle)
        self.tutor = Tutor(
            Catalog((exercise(SLUG), exercise("cross-attention")), ()),
            self.store,
            self.dispatch,
            limits or Limits(source_bytes=LIMIT),
        )
        self.me = self.tutor.learner()

    def submit(self, source: str) -> Submission:
        made = self.tutor.submit(self.me, SLUG, source)
        assert isinstance(made, Submission)
        return made


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_the_exercises_are_those_of_the_catalog(desk: Desk) -> None:
    """Exercises come in curriculum order and are found by slug, or not."""
    assert [one.slug for one in desk.tutor.exercises()] == [SLUG, "cross-attention"]
    found = desk.tutor.exercise(SLUG)
    assert found is not None
    assert found.slug == SLUG
    assert desk.tutor.exercise("nothing") is None


def test_a_submission_is_stored_rung_for_and_judged(desk: Desk) -> None:
    """Handing in stores the row with the exercise's version, rings once, and the verdict is the latest."""
    made = desk.submit("good")
    assert (made.state, made.exercise_version, made.learner_id) == (SubmissionState.QUEUED, 4, desk.me.id)
    assert desk.dispatch.rings == [made.id]
    latest = desk.tutor.latest(desk.me, SLUG)
    assert latest is not None
    assert (latest.id, latest.state, latest.verdict) == (made.id, SubmissionState.DONE, judge(made))
    assert desk.tutor.latest(desk.me, "cross-attention") is None


def test_progress_follows_the_verdicts(desk: Desk) -> None:
    """The best status ever reached is what progress tells."""
    assert desk.tutor.progress(desk.me) == {}
    desk.submit("bad")
    assert statuses(desk.tutor.progress(desk.me)) == {SLUG: {"skeleton": Status.FAILED}}
    desk.submit("good")
    desk.submit("bad again")
    assert statuses(desk.tutor.progress(desk.me)) == {SLUG: {"skeleton": Status.PASSED}}


def _crowd(desk: Desk, name: str, many: int) -> None:
    learner = desk.store.learner_named(name)
    for _ in range(many):
        desk.store.add_submission(learner.id, SLUG, 1, "x")


@pytest.mark.parametrize(
    ("mine", "others", "code", "words"),
    [
        (4, 0, "too-many-waiting", ("4 of your checks are not finished", "at most 4")),
        (3, 17, "queue-full", ("20 checks of all learners", "no more than 20")),
    ],
)
def test_a_crowded_queue_takes_nothing_more(mine: int, others: int, code: str, words: tuple[str, ...]) -> None:
    """The sentence says what was counted and what the limit is; nothing is stored, and the text can be handed in later."""
    desk = Desk(asleep=True, limits=Limits(learner_waiting=4, waiting=20))
    _crowd(desk, desk.me.name, mine)
    _crowd(desk, "others", others)
    refusal = desk.tutor.submit(desk.me, SLUG, "good")
    assert isinstance(refusal, Refusal)
    assert refusal.code == code
    assert all(one in refusal.message for one in words)
    assert "Your text is kept." in refusal.next_step
    assert (desk.dispatch.rings, desk.store.load(desk.me.id, 60).all) == ([], mine + others)


def test_one_person_has_so_much_checking_time_a_minute(desk: Desk) -> None:
    """Time used up is told in seconds; another learner is not asked to wait for it."""
    desk = Desk(limits=Limits(learner_seconds=0.02))
    desk.submit("good")
    desk.submit("bad")
    refusal = desk.tutor.submit(desk.me, SLUG, "good")
    assert isinstance(refusal, Refusal)
    assert refusal.code == "too-much-time"
    other = desk.store.learner_named("other")
    assert isinstance(desk.tutor.submit(other, SLUG, "good"), Submission)


@pytest.mark.parametrize(
    ("source", "code"),
    [("", "empty"), (" \n ", "empty"), ("x" * (LIMIT + 1), "too-large"), ("a\0", "bad-character")],
)
def test_a_refused_text_leaves_no_trace(desk: Desk, source: str, code: str) -> None:
    """A text that cannot be code is refused before anything is stored or rung for."""
    refusal = desk.tutor.submit(desk.me, SLUG, source)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code
    assert (desk.dispatch.rings, desk.store.waiting(), desk.tutor.latest(desk.me, SLUG)) == ([], (), None)


def test_line_ends_are_the_same_for_everybody(desk: Desk) -> None:
    """What is stored has newline ends, so that line numbers agree wherever it was typed."""
    assert desk.submit("a\r\nb\rgood").source == "a\nb\ngood"


def test_an_unknown_exercise_is_a_fault_of_the_page(desk: Desk) -> None:
    """Handing in for a slug that does not exist is a KeyError and stores nothing."""
    with pytest.raises(KeyError, match="nothing"):
        desk.tutor.submit(desk.me, "nothing", "good")
    assert desk.store.waiting() == ()


def test_a_foreign_submission_is_as_if_it_did_not_exist(desk: Desk) -> None:
    """Another learner's id, or one that was never given, shows nothing, and waiting for it returns at once."""
    mine = desk.submit("good")
    ada: Learner = desk.store.learner_named("Ada")
    assert desk.tutor.submission(desk.me, mine.id) is not None
    started = time.monotonic()
    for learner, number in ((ada, mine.id), (desk.me, 999)):
        assert desk.tutor.submission(learner, number) is None
        assert desk.tutor.wait(learner, number, 5) is None
    assert time.monotonic() - started < 1
    assert desk.tutor.latest(ada, SLUG) is None
    assert desk.tutor.progress(ada) == {}


def test_drafts_are_kept_even_when_empty(desk: Desk) -> None:
    """A draft is saved as typed; clearing the editor is a draft too."""
    for text in ("half a li", ""):
        saved = desk.tutor.save_draft(desk.me, SLUG, text)
        assert isinstance(saved, Draft)
        assert saved == desk.tutor.draft(desk.me, SLUG)
        assert saved.source == text


def test_a_draft_that_another_tab_saved_is_left_alone(desk: Desk) -> None:
    """Who saw an older draft is told so by None; the newer one stays, and who saw it can replace it."""
    first = desk.tutor.save_draft(desk.me, SLUG, "first", base=0)
    assert isinstance(first, Draft)
    newer = desk.tutor.save_draft(desk.me, SLUG, "newer", base=first.revision)
    assert isinstance(newer, Draft)
    assert desk.tutor.save_draft(desk.me, SLUG, "older tab", base=first.revision) is None
    assert desk.tutor.draft(desk.me, SLUG) == newer
    assert isinstance(desk.tutor.save_draft(desk.me, SLUG, "mine", newer.revision, aside="newer"), Draft)


def test_what_was_set_aside_holds_nothing_up(desk: Desk) -> None:
    """A text with characters that no database can hold is set aside without them."""
    saved = desk.tutor.save_draft(desk.me, SLUG, "good", aside="a\0b\ud800c")
    assert isinstance(saved, Draft)
    assert (saved.source, saved.aside) == ("good", "a\ufffdb\ufffdc")


def test_the_history_is_ones_own(desk: Desk) -> None:
    """Attempts are listed for who made them, in pages, the newest first."""
    numbers = []
    for text in ("x = 1", "x = 2", "x = 3"):
        taken = desk.tutor.submit(desk.me, SLUG, text)
        assert isinstance(taken, Submission)
        numbers.append(taken.id)
    assert [one.id for one in desk.tutor.history(desk.me, SLUG)] == numbers[::-1]
    assert [one.id for one in desk.tutor.history(desk.me, SLUG, 1, numbers[1])] == numbers[:1]
    assert desk.tutor.history(desk.store.learner_named("Ada"), SLUG) == ()


@pytest.mark.parametrize("source", ["x" * (LIMIT + 1), "a\0b", "a\ud800"])
def test_a_refused_draft_leaves_the_earlier_one(desk: Desk, source: str) -> None:
    """A draft that no database could hold is refused in words, and the last good one stays."""
    desk.tutor.save_draft(desk.me, SLUG, "good so far")
    assert isinstance(desk.tutor.save_draft(desk.me, SLUG, source), Refusal)
    draft = desk.tutor.draft(desk.me, SLUG)
    assert draft is not None
    assert draft.source == "good so far"


def test_waiting_gives_the_verdict_or_the_state_so_far() -> None:
    """With a checker that is asleep, waiting returns the queued row in time; once judged it returns the verdict."""
    desk = Desk(asleep=True)
    first, second = desk.submit("good"), desk.submit("bad")
    started = time.monotonic()
    waiting = desk.tutor.wait(desk.me, second.id, 0.2)
    assert 0.15 < time.monotonic() - started < 2
    assert waiting == second
    assert (desk.tutor.ahead(first.id), desk.tutor.ahead(second.id)) == (0, 1)
    desk.worker.handle(second.id)
    done = desk.tutor.wait(desk.me, second.id, 5)
    assert done is not None
    assert done.state is SubmissionState.DONE


def test_hints_are_taken_one_by_one_and_never_more_than_there_are(desk: Desk) -> None:
    """Each request counts one hint up to the last, the submission tells how many, and its verdict stays as it was."""
    number = desk.submit("known").id
    before = desk.tutor.submission(desk.me, number)
    assert before is not None
    counts = []
    for seen in (0, 1, 2, 3, 4, 99):
        found = desk.tutor.take_hint(desk.me, number, seen)
        assert found is not None
        counts.append(found.hints_taken)
    assert counts == [1, 2, 3, 3, 3, 3]
    after = desk.tutor.latest(desk.me, SLUG)
    assert after is not None
    assert after.verdict is not None
    assert after.verdict.diagnosis == WHY
    assert after == before.model_copy(update={"hints_taken": 3})


@pytest.mark.parametrize("stale", [0, -1, 2])
def test_a_request_that_does_not_fit_what_was_taken_counts_nothing(desk: Desk, stale: int) -> None:
    """A second click, or a page that shows another number than was taken, gets the submission as it stands."""
    number = desk.submit("known").id
    desk.tutor.take_hint(desk.me, number, 0)
    found = desk.tutor.take_hint(desk.me, number, stale)
    assert found is not None
    assert found.hints_taken == 1


def test_where_there_are_no_hints_none_is_taken(desk: Desk) -> None:
    """Passed, failed for an unknown reason or not judged yet: nothing is counted; another's submission does not exist."""
    asleep = Desk(asleep=True)
    for one, source in ((desk, "good, though known"), (desk, "bad"), (asleep, "known")):
        found = one.tutor.take_hint(one.me, one.submit(source).id, 0)
        assert found is not None
        assert found.hints_taken == 0
    mine = desk.submit("known").id
    assert desk.tutor.take_hint(desk.store.learner_named("Ada"), mine, 0) is None
    assert desk.tutor.take_hint(desk.me, 999, 0) is None
    kept = desk.tutor.submission(desk.me, mine)
    assert kept is not None
    assert kept.hints_taken == 0


def test_the_state_of_the_checker_is_passed_on_and_close_closes(desk: Desk) -> None:
    """The page learns device and walls from the tutor, and closing it closes the dispatch."""
    assert desk.tutor.checker_state() == desk.dispatch.state()
    desk.tutor.close()
    assert desk.dispatch.closed
