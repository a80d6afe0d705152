"""The smallest example on the corpus: right code never differs, and code with wrong numbers does in a tiny case."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tutor.content import Exercise
from tutor.expected import Reference
from tutor.observing import observe_here
from tutor.small import SmallCases

CORPUS = Path(__file__).parent / "submissions"
SLUGS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
# Wrong at larger sizes or numbers only, or where chance decides; the first of each kind.
LARGER = {
    "cross-attention": {"half_precision_scores"},
    "fused-qkv-attention": {"half_precision_scores", "exponentials_without_the_maximum"},
    "gpt2-attention": {"window_of_five_tokens"},
    "multi-head-attention": {"scores_in_half_precision", "third_sample_gets_second_map", "long_inputs_lose_their_tail"},
    "scaled-dot-product-attention": {"half_precision_scores"},
}


def _finder(exercise: Exercise):
    """Source → its smallest example, found in this process, which no right code harms, nor code that fails by its numbers."""
    reference = Reference(exercise)
    cases = SmallCases(exercise, reference, reference.diagnoser(exercise))
    planned = cases.plan(7)
    return lambda source: cases.example(planned, source, observe_here(planned, source))


@pytest.mark.parametrize("slug", SLUGS)
def test_right_code_never_differs(catalog, slug):
    """Whatever its style, in no small case; the first one is shown, with the same numbers twice."""
    find = _finder(catalog[slug])
    for path in sorted((CORPUS / slug / "right").glob("*.py")):
        found = find(path.read_text(encoding="utf-8"))
        assert not found.differs, (path.stem, found.compared)
        assert found.stopped is None, (path.stem, found.stopped)
        assert all(one.mine is not None and one.apart == () for one in found.compared)
        assert found.given
        assert found.call == 1


def _wrong_numbers(exercise: Exercise):
    """The first file of each set of faults that fails a comparison of numbers before anything else."""
    kinds = {
        f"{milestone.id}/{check.id}": check.kind for milestone in exercise.milestones for check in milestone.checks
    }
    labels = tomllib.loads((CORPUS / exercise.slug / "labels.toml").read_text(encoding="utf-8"))["wrong"]
    first: dict[tuple[str, ...], str] = {}
    for stem, label in labels.items():
        if kinds[label["fails"][0]] == "equals_reference" and label.get("ending", "returned") == "returned":
            first.setdefault(tuple(label["faults"]) or (stem,), stem)
    return sorted(first.values())


@pytest.mark.parametrize("slug", SLUGS)
def test_wrong_numbers_differ_in_a_small_case(catalog, slug):
    """All but those that are right wherever everything is small."""
    find = _finder(catalog[slug])
    stems = _wrong_numbers(catalog[slug])
    sources = {stem: (CORPUS / slug / "wrong" / f"{stem}.py").read_text(encoding="utf-8") for stem in stems}
    found = {stem: find(source) for stem, source in sources.items()}
    hidden = {stem for stem, example in found.items() if not (example.differs or example.stopped)}
    assert stems
    assert hidden == LARGER.get(slug, set()) & set(stems)
