"""What several tests need: the exercises, a warm sandbox, and a way to judge a source without walls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from tests import postgres as server
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
from tutor.store.sql import open_store

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
def postgres() -> Iterator[server.Postgres]:
    """A PostgreSQL server of the tests' own. In CI there must be one."""
    why = server.missing()
    if why is not None and not os.environ.get("CI"):
        pytest.skip(why)
    assert why is None, f"CI {why}"
    made = server.Postgres()
    yield made
    made.close()


@pytest.fixture
def empty_postgresql_url(postgres: server.Postgres) -> Iterator[str]:
    """A database on the server with nothing in it."""
    name = postgres.fresh()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture(scope="session")
def _template(postgres: server.Postgres) -> str:
    """A database with the tables, of which copies are made: a migration takes ten times as long."""
    name = postgres.fresh()
    open_store(postgres.url(name)).close()
    return name


@pytest.fixture
def postgresql_url(postgres: server.Postgres, _template: str) -> Iterator[str]:
    """A database on the server with the tables of the newest version."""
    name = postgres.fresh(template=_template, options="")
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """A file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'empty.db'}"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The same, since to make it takes no time."""
    return f"sqlite:///{tmp_path / 'tutor.db'}"


@pytest.fixture(scope="session")
def judged(exercise: Exercise) -> Callable[[str], Assessment]:
    """Judge a source of ours in this process, always with the same weights and inputs."""
    planned, reference = plan(exercise, 11), Reference(exercise)
    expected = reference.observe(planned)
    return lambda source: assess(exercise, source, observe_here(planned, source), expected)
