"""What every store promises to the pages, tried on the fake and on a real SQLite file alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

import pytest

from tests.store.samples import SLUG, AnyStore, ManualClock, queue_one, serve_next, statuses, verdict
from tutor.errors import StoreError
from tutor.model import Diagnosis, Load, Mark, Status, SubmissionState
from tutor.store.protocol import Store
from tutor.trials import Scratch


def test_a_store_is_a_store(store: AnyStore) -> None:
    """Both stores satisfy the protocol as far as a type checker and a call can tell."""
    same: Store = store
    assert same.waiting() == ()


def test_the_local_learner_is_always_the_same(store: AnyStore) -> None:
    """The local learner is made once, and another name is another learner."""
    first = store.local_learner()
    assert store.local_learner() == first
    assert store.learner_named("Ada") != first
    assert store.learner_named("Ada") == store.learner_named("Ada")


def test_a_learner_asked_for_by_many_threads_is_made_once(store: AnyStore) -> None:
    """First use from eight threads at once gives one learner."""
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: store.local_learner().id, range(8)))
    assert len(found) == 1


def test_a_draft_is_the_newest_text(store: AnyStore, clock: ManualClock) -> None:
    """Saving a draft replaces the earlier one and keeps the time, in UTC."""
    me = store.local_learner().id
    assert store.draft(me, SLUG) is None
    store.save_draft(me, SLUG, "first")
    clock.advance(5)
    store.save_draft(me, SLUG, "")
    draft = store.draft(me, SLUG)
    assert draft is not None
    assert (draft.source, draft.saved_at, draft.saved_at.tzinfo) == ("", clock.now, UTC)


def test_drafts_belong_to_one_learner_and_one_exercise(store: AnyStore) -> None:
    """No draft is seen by another learner or on another exercise."""
    me, ada = store.local_learner().id, store.learner_named("Ada").id
    store.save_draft(me, SLUG, "mine")
    store.save_draft(me, "cross-attention", "other")
    store.save_draft(ada, SLUG, "hers")
    drafts = [store.draft(me, SLUG), store.draft(me, "cross-attention"), store.draft(ada, SLUG)]
    assert [draft and draft.source for draft in drafts] == ["mine", "other", "hers"]
    assert store.draft(ada, "cross-attention") is None


def test_drafts_saved_by_many_threads_end_as_one(store: AnyStore) -> None:
    """Eight first saves at once leave one draft, which is one of the eight."""
    me = store.local_learner().id
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.save_draft(me, SLUG, str(number)), range(8)))
    draft = store.draft(me, SLUG)
    assert draft is not None
    assert draft.source in set("01234567")


def test_a_draft_counts_its_revisions_and_keeps_what_was_set_aside(store: AnyStore) -> None:
    """Every save is the next revision and is told as it is stored; a text set aside goes with the save that does not name it."""
    me = store.local_learner().id
    for number, aside in enumerate((None, "mine", "mine", None), start=1):
        saved = store.save_draft(me, SLUG, f"text {number}", base=number - 1, aside=aside, writer=f"w{number}")
        assert saved is not None
        assert (saved.source, saved.revision, saved.aside) == (f"text {number}", number, aside)
        assert saved.writer == f"w{number}"
        assert store.draft(me, SLUG) == saved


def test_a_draft_that_was_not_seen_is_not_overwritten(store: AnyStore) -> None:
    """Who saves over another revision than the one seen stores nothing; without a base whatever is there is replaced."""
    me = store.local_learner().id
    assert store.save_draft(me, SLUG, "first", base=0) is not None
    assert store.save_draft(me, SLUG, "second", base=1) is not None
    for base in (0, 1, 3, -1):
        assert store.save_draft(me, SLUG, "unseen", base=base) is None
    draft = store.draft(me, SLUG)
    assert draft is not None
    assert (draft.source, draft.revision) == ("second", 2)
    assert store.save_draft(store.learner_named("Ada").id, SLUG, "hers", base=0) is not None
    forced = store.save_draft(me, SLUG, "third")
    assert forced is not None
    assert (forced.source, forced.revision) == ("third", 3)


def test_where_no_draft_is_any_base_will_do(store: AnyStore) -> None:
    """A page that outlived its database saves its text, and goes on from there."""
    me = store.local_learner().id
    saved = store.save_draft(me, SLUG, "kept", base=7)
    assert saved is not None
    assert store.save_draft(me, SLUG, "next", base=saved.revision) is not None


def test_of_many_tabs_that_saw_the_same_draft_one_saves(store: AnyStore) -> None:
    """Eight threads save over the same revision, or as the first; one of them is told that it did, and its text is there."""
    me = store.local_learner().id
    for base in (0, 1):
        with ThreadPoolExecutor(8) as pool:
            saved = list(pool.map(lambda number, base=base: store.save_draft(me, SLUG, str(number), base), range(8)))  # type: ignore[misc]
        (winner,) = [one for one in saved if one is not None]
        assert winner == store.draft(me, SLUG)


def test_the_history_is_the_newest_first_and_comes_in_pages(store: AnyStore) -> None:
    """One's own checks of one exercise, no trials among them, each with what came of it and why; a page goes on before an id."""
    me, ada = store.local_learner().id, store.learner_named("Ada").id
    assert store.history(me, SLUG, 10) == ()
    numbers = [store.add_submission(me, SLUG, 1, f"text {number}").id for number in range(4)]
    store.add_submission(me, "cross-attention", 1, "other")
    store.add_submission(ada, SLUG, 1, "hers")
    store.add_submission(me, SLUG, 1, "look", Scratch())
    failed = verdict({"skeleton": Status.PASSED, "forward": Status.FAILED}, Status.FAILED)
    why = Diagnosis(traps=("unscaled",), how="The factor is missing.", hints=("h",))
    store.claim(numbers[0], "a", 60)
    store.finish(numbers[0], "a", failed.model_copy(update={"diagnosis": why}))
    store.take_hint(numbers[0], 0)
    store.claim(numbers[1], "a", 60)
    store.finish(numbers[1], "a", verdict())
    listed = store.history(me, SLUG, 10)
    assert [one.id for one in listed] == numbers[::-1]
    assert [one.id for one in store.history(me, SLUG, 2)] == numbers[:1:-1]
    assert [one.id for one in store.history(me, SLUG, 2, before=numbers[2])] == [numbers[1], numbers[0]]
    assert store.history(me, SLUG, 2, before=numbers[0]) == ()
    oldest = listed[3]
    assert (oldest.status, oldest.passed, oldest.total, oldest.hints_taken) == (Status.FAILED, 1, 2, 1)
    assert (oldest.traps, oldest.how, oldest.first) == (
        ("unscaled",),
        "The factor is missing.",
        "√dₖ scales the scores.",
    )
    found = store.submission(numbers[0])
    assert found is not None
    assert (oldest.submitted_at, oldest.seconds) == (found.submitted_at, 0.01)
    assert (listed[2].status, listed[2].passed, listed[2].first) == (Status.PASSED, 1, "")
    assert [(one.status, one.state) for one in listed[:2]] == [(None, SubmissionState.QUEUED)] * 2
    assert oldest.state is SubmissionState.DONE


def test_nothing_is_stored_for_an_unknown_learner(store: AnyStore) -> None:
    """A draft or a submission of a learner who does not exist is refused."""
    for base in (None, 0, 3):
        with pytest.raises(StoreError):
            store.save_draft(99, SLUG, "x", base)
    with pytest.raises(StoreError):
        store.add_submission(99, SLUG, 1, "x")
    assert store.waiting() == ()


@pytest.mark.parametrize("source", ["√dₖ = «é» 漢字 🦀\n\ttab", "x" * 65_536, "'; DROP TABLE submissions; --", " \n "])
def test_a_source_comes_back_exactly(store: AnyStore, source: str) -> None:
    """Unicode, 64 KB, quotes and white space survive in drafts and submissions."""
    me = store.local_learner().id
    store.save_draft(me, SLUG, source)
    number = queue_one(store, source)
    found, draft = store.submission(number), store.draft(me, SLUG)
    assert found is not None
    assert draft is not None
    assert found.source == draft.source == source


def test_a_submission_is_queued_before_anything_runs(store: AnyStore, clock: ManualClock) -> None:
    """A new submission has its facts, no verdict and no tries, and reads back equal."""
    me = store.local_learner().id
    added = store.add_submission(me, SLUG, 3, "code")
    assert (added.learner_id, added.slug, added.exercise_version, added.source) == (me, SLUG, 3, "code")
    assert (added.state, added.tries, added.verdict, added.finished_at) == (SubmissionState.QUEUED, 0, None, None)
    assert added.submitted_at == clock.now
    assert store.submission(added.id) == added
    assert store.submission(added.id + 1) is None


def test_the_newest_that_passed_whole_is_found_behind_later_attempts(store: AnyStore) -> None:
    """A failed attempt afterwards hides it no more than somebody else's pass counts."""
    me, ada = store.local_learner().id, store.learner_named("Ada").id
    assert store.latest_passed(me, SLUG) is None
    found = []
    for learner, status in ((me, Status.FAILED), (me, Status.PASSED), (me, Status.FAILED), (ada, Status.PASSED)):
        number = store.add_submission(learner, SLUG, 1, f"{learner} {status}").id
        store.claim(number, "w", 5.0)
        store.finish(number, "w", verdict({"skeleton": Status.PASSED, "forward": status}, status))
        newest = store.latest_passed(me, SLUG)
        found.append(newest and newest.source)
    assert found == [None, *[f"{me} {Status.PASSED}"] * 3]


def test_the_latest_submission_is_per_learner_and_exercise(store: AnyStore) -> None:
    """The latest submission is the learner's own newest for that exercise."""
    me, ada = store.local_learner().id, store.learner_named("Ada").id
    assert store.latest_submission(me, SLUG) is None
    store.add_submission(me, SLUG, 1, "old")
    newest = store.add_submission(me, SLUG, 1, "new")
    store.add_submission(me, "cross-attention", 1, "other")
    store.add_submission(ada, SLUG, 1, "hers")
    assert store.latest_submission(me, SLUG) == newest


def test_what_waits_comes_oldest_first(store: AnyStore, clock: ManualClock) -> None:
    """Queued submissions and abandoned ones are listed together by age, as many as asked for."""
    numbers = [queue_one(store) for _ in range(5)]
    store.claim(numbers[0], "dead", 1)
    store.claim(numbers[1], "alive", 100)
    store.claim(numbers[2], "alive", 100)
    store.finish(numbers[2], "alive", verdict())
    clock.advance(2)
    assert store.waiting() == (numbers[0], numbers[3], numbers[4])
    assert store.waiting(limit=2) == (numbers[0], numbers[3])


def test_the_place_in_the_queue_counts_what_is_unfinished(store: AnyStore) -> None:
    """Queued and running submissions handed in earlier are ahead, finished and later ones are not."""
    numbers = [queue_one(store) for _ in range(4)]
    store.claim(numbers[0], "a", 60)
    store.claim(numbers[1], "a", 60)
    store.finish(numbers[1], "a", verdict())
    assert [store.submissions_ahead(number) for number in numbers] == [0, 0, 1, 2]


def test_everybody_gets_a_turn_before_anybody_gets_two(store: AnyStore) -> None:
    """Learners take turns; within a turn the oldest comes first, and what runs counts as a turn of its learner."""
    names = ("flood", "flood", "flood", "quiet", "other", "quiet")
    ids = [store.add_submission(store.learner_named(name).id, SLUG, 1, "x").id for name in names]
    flood, flood2, flood3, quiet, other, quiet2 = ids
    assert store.waiting() == (flood, quiet, other, flood2, quiet2, flood3)
    assert store.waiting(each=1) == (flood, quiet, other)
    assert store.waiting(limit=2, each=1) == (flood, quiet)
    assert [store.submissions_ahead(number) for number in ids] == [0, 3, 5, 1, 2, 4]
    store.claim(flood, "a", 60)
    assert store.waiting() == (quiet, other, flood2, quiet2, flood3)
    assert store.waiting(each=1) == (quiet, other)
    assert store.waiting(each=2) == (quiet, other, flood2, quiet2)
    assert [store.submissions_ahead(number) for number in ids] == [0, 3, 5, 1, 2, 4]
    store.finish(flood, "a", verdict())
    assert store.waiting(each=1) == (quiet, other, flood2)
    assert store.waiting() == (quiet, other, flood2, quiet2, flood3)
    assert [store.submissions_ahead(number) for number in ids] == [0, 2, 4, 0, 1, 3]


def test_who_was_served_last_waits_for_the_others(store: AnyStore, clock: ManualClock) -> None:
    """Where one check runs at a time the turns go round, whoever handed in first and most."""
    names = ("flood",) * 5 + ("quiet",) * 3 + ("other",) * 2
    whose = {store.add_submission(store.learner_named(name).id, SLUG, 1, "x").id: name for name in names}
    assert [whose[serve_next(store, clock)] for _ in names] == [
        *("flood", "quiet", "other"),
        *("flood", "quiet", "other"),
        *("flood", "quiet", "flood", "flood"),
    ]


def test_a_claim_that_ran_out_is_no_turn_any_more(store: AnyStore, clock: ManualClock) -> None:
    """What a dead worker held waits again like the rest, at its old place."""
    numbers = [queue_one(store) for _ in range(2)]
    store.claim(numbers[0], "dead", 1)
    assert store.waiting(each=1) == ()
    clock.advance(2)
    assert store.waiting(each=1) == (numbers[0],)


def test_the_load_of_a_learner_is_what_is_unfinished_and_what_it_took(store: AnyStore, clock: ManualClock) -> None:
    """Waiting and running checks are counted, one's own and all; time counts for as long as it was asked for."""
    me, other = store.learner_named("me").id, store.learner_named("other").id
    assert store.load(me, 60) == Load(mine=0, all=0, seconds=0)
    hand_in(store, me, SLUG)
    clock.advance(30)
    hand_in(store, me, SLUG)
    hand_in(store, other, SLUG)
    mine = [store.add_submission(one, SLUG, 1, "x").id for one in (me, me, other)]
    store.claim(mine[0], "a", 60)
    assert store.load(me, 60) == Load(mine=2, all=3, seconds=0.02)
    clock.advance(29.9)
    assert store.load(me, 60).seconds == 0.02
    clock.advance(0.2)
    assert store.load(me, 60).seconds == 0.01
    assert store.load(other, 60) == Load(mine=1, all=3, seconds=0.01)
    clock.advance(60)
    assert store.load(me, 60).seconds == 0


def hand_in(store: AnyStore, learner_id: int, slug: str, **what: object) -> None:
    number = store.add_submission(learner_id, slug, 1, "x").id
    store.claim(number, "a", 60)
    assert store.finish(number, "a", verdict(**what))  # type: ignore[arg-type]


def test_progress_keeps_the_best_status_ever(store: AnyStore) -> None:
    """Per milestone the best of all verdicts counts: passed over failed over not run, in any order."""
    me = store.local_learner().id
    failed, passed, idle = Status.FAILED, Status.PASSED, Status.NOT_RUN
    hand_in(store, me, SLUG, milestones={"skeleton": passed, "forward": failed, "causal": idle}, status=failed)
    hand_in(store, me, SLUG, milestones={"skeleton": failed, "forward": idle, "causal": idle}, status=failed)
    hand_in(store, me, "cross-attention", milestones={"skeleton": failed}, status=failed)
    assert statuses(store.progress(me)) == {
        SLUG: {"skeleton": passed, "forward": failed, "causal": idle},
        "cross-attention": {"skeleton": failed},
    }
    assert statuses(store.progress(store.learner_named("Ada").id)) == {}


def test_a_broken_verdict_is_shown_but_never_counts(store: AnyStore) -> None:
    """A broken verdict is the latest submission's, yet progress is as if it had not happened."""
    me = store.local_learner().id
    hand_in(store, me, "cross-attention", milestones={"skeleton": Status.PASSED}, status=Status.BROKEN)
    hand_in(store, me, SLUG, milestones={"skeleton": Status.FAILED, "forward": Status.BROKEN}, status=Status.FAILED)
    hand_in(store, me, SLUG, milestones={"skeleton": Status.PASSED}, status=Status.BROKEN)
    latest = store.latest_submission(me, SLUG)
    assert latest is not None
    assert latest.verdict is not None
    assert (latest.state, latest.verdict.status) == (SubmissionState.DONE, Status.BROKEN)
    assert statuses(store.progress(me)) == {SLUG: {"skeleton": Status.FAILED}}


def test_hints_are_counted_one_by_one(store: AnyStore) -> None:
    """A hint is counted if as many were taken as the page showed; otherwise nothing changes, and no other row ever does."""
    first, second = queue_one(store), queue_one(store)
    counted = [store.take_hint(first, seen) for seen in (0, 0, 2, 1, 1, -1)]
    assert counted == [True, False, False, True, False, False]
    assert not store.take_hint(second + 1, 0)
    assert [found and found.hints_taken for found in map(store.submission, (first, second))] == [2, 0]


def test_hints_stay_counted_whatever_becomes_of_the_submission(store: AnyStore) -> None:
    """The count is there after the verdict, and reading the latest submission gives it, too."""
    number = queue_one(store)
    assert store.take_hint(number, 0)
    store.claim(number, "a", 60)
    store.finish(number, "a", verdict({"skeleton": Status.FAILED}, Status.FAILED))
    assert store.take_hint(number, 1)
    latest = store.latest_submission(store.local_learner().id, SLUG)
    assert latest is not None
    assert (latest.hints_taken, latest.verdict) == (2, verdict({"skeleton": Status.FAILED}, Status.FAILED))


def test_of_many_clicks_at_once_one_counts(store: AnyStore) -> None:
    """Eight threads take the same hint; one is told that it did, and one is counted."""
    number = queue_one(store)
    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(lambda _: store.take_hint(number, 0), range(8)))
    found = store.submission(number)
    assert found is not None
    assert (counted.count(True), found.hints_taken) == (1, 1)


def test_the_newest_answer_is_found_with_the_best_mark(store: AnyStore, clock: ManualClock) -> None:
    """Answers are added, never replaced: the newest is what is read, and a right one before it is remembered."""
    me = store.local_learner().id
    assert store.answers(me, SLUG) == {}
    for text, mark in (("1", Mark.WRONG), ("2", Mark.RIGHT), ("√3\n(2, 4)", Mark.WRONG)):
        clock.advance(5)
        store.add_answer(me, SLUG, "count", text, mark)
    store.add_answer(me, SLUG, "open", "because", Mark.UNMARKED)
    found = store.answers(me, SLUG)
    assert set(found) == {"count", "open"}
    newest = found["count"]
    assert (newest.question, newest.text, newest.mark, newest.best) == ("count", "√3\n(2, 4)", Mark.WRONG, Mark.RIGHT)
    assert (newest.answered_at, newest.answered_at.tzinfo) == (clock.now, UTC)
    assert (found["open"].mark, found["open"].best) == (Mark.UNMARKED, Mark.UNMARKED)


def test_marks_rise_from_unmarked_to_right(store: AnyStore) -> None:
    """Of any two marks the better one is remembered, in whichever order they come."""
    me = store.local_learner().id
    order = [Mark.UNMARKED, Mark.WRONG, Mark.PARTLY, Mark.RIGHT]
    for low, one in enumerate(order):
        for high, other in enumerate(order[low:], start=low):
            store.add_answer(me, SLUG, f"{low}-{high}", "a", other)
            store.add_answer(me, SLUG, f"{low}-{high}", "b", one)
            store.add_answer(me, SLUG, f"{high}-{low}-again", "a", one)
            store.add_answer(me, SLUG, f"{high}-{low}-again", "b", other)
    for name, answer in store.answers(me, SLUG).items():
        assert answer.best is order[max(map(int, name.removesuffix("-again").split("-")))]


def test_answers_belong_to_one_learner_and_one_exercise(store: AnyStore) -> None:
    """Nobody sees another's answers, nor those to another exercise; a learner who does not exist has none."""
    me, ada = store.local_learner().id, store.learner_named("Ada").id
    store.add_answer(me, SLUG, "count", "mine", Mark.RIGHT)
    store.add_answer(me, "cross-attention", "count", "other", Mark.WRONG)
    store.add_answer(ada, SLUG, "count", "hers", Mark.WRONG)
    seen = [store.answers(me, SLUG), store.answers(me, "cross-attention"), store.answers(ada, SLUG)]
    assert [(one["count"].text, one["count"].best) for one in seen] == [
        ("mine", Mark.RIGHT), ("other", Mark.WRONG), ("hers", Mark.WRONG),
    ]  # fmt: skip
    assert store.answers(ada, "cross-attention") == {}
    with pytest.raises(StoreError):
        store.add_answer(99, SLUG, "count", "x", Mark.RIGHT)
