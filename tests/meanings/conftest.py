"""What is said of a source, without walls."""

from __future__ import annotations

import pytest

from checkers.base import Ending
from tutor.explain import explain
from tutor.judge import facts
from tutor.observing import observe_here
from tutor.planning import plan

CASES = ("built-h3", "plain", "lengths", "causal", "masks")


@pytest.fixture(scope="package")
def explained(catalog):
    """What is said of a source: the text of the first case that did not return."""
    plans = {}
    for slug, cases in (
        ("multi-head-attention", CASES),
        ("scaled-dot-product-attention", ("plain", "lengths", "no-axis", "causal")),
    ):
        small = catalog[slug].model_copy(update={"cases": tuple(c for c in catalog[slug].cases if c.name in cases)})
        plans[slug] = small, plan(small, 11)

    def run(source, slug="multi-head-attention"):
        small, planned = plans[slug]
        stopped = next(one for one in observe_here(planned, source).values() if one.ending is not Ending.RETURNED)
        about = facts(small, source)
        meaning = explain(stopped, about)
        return f"{meaning.message} {meaning.next_step}"

    return run
