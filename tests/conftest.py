"""What several tests need: the exercises, a warm sandbox, and a way to judge a source without walls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from tutor.catalog import Catalog
from tutor.checking import Checker
from tutor.content import Exercise
from tutor.engine import open_catalog, open_checker
from tutor.expected import Reference
from tutor.judge import assess
from tutor.model import Assessment
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.settings import Settings

TESTS = Path(__file__).parent
# Tensors here are small: a second thread only waits, and on a busy machine it waits long.
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _switches() -> Iterator[None]:
    """No test leaves torch other than it found it: the next ones would fail, far from the cause."""
    yield
    found = torch.is_grad_enabled(), torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()
    if found == (True, torch.float32, False):
        return  # setting the last one takes torch seconds
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(False)
    pytest.fail(f"torch was left with gradients, default type and determinism {found}")


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The project's own exercises."""
    return open_catalog(Settings())


@pytest.fixture(scope="session")
def exercise(catalog: Catalog) -> Exercise:
    """Multi-head attention."""
    return catalog["multi-head-attention"]


@pytest.fixture(scope="session")
def checker(catalog: Catalog) -> Iterator[Checker]:
    """The real checker with its real sandbox and the usual limits: on a busy machine a second is not much for a check."""
    made = open_checker(Settings(case_seconds=3.0, check_seconds=8.0), catalog)
    yield made
    made.close()


@pytest.fixture(scope="session")
def judged(exercise: Exercise) -> Callable[[str], Assessment]:
    """Judge a source of ours in this process, always with the same weights and inputs."""
    planned, reference = plan(exercise, 11), Reference(exercise)
    expected = reference.observe(planned)
    return lambda source: assess(exercise, source, observe_here(planned, source), expected)
