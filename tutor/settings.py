"""Every setting, read once from ``TUTOR_…`` environment variables. The defaults run everything on one machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from tutor.curriculum import Shelf
from tutor.errors import SettingsError

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Unit:
    """Marks a setting as a limit on what is handed in, and says what it counts."""

    name: str


@dataclass(frozen=True)
class Limit:
    """One limit as people read it: "3 s" "of time for one case"."""

    variable: str
    value: float
    unit: str
    description: str

    @property
    def amount(self) -> str:
        """The value with its unit."""
        value = int(self.value) if self.value == int(self.value) else self.value
        return f"{value:,} {self.unit.removesuffix('s') if value == 1 and self.unit != 's' else self.unit}"


class Settings(BaseSettings):
    """Settings with their units; the README lists the same table."""

    model_config = SettingsConfigDict(env_prefix="TUTOR_", frozen=True, extra="ignore")

    home: Path = Field(PROJECT / "var", description="folder for the database file")
    # Not shown with the rest: it may have a password in it.
    database_url: str = Field("", repr=False, description="SQLAlchemy URL; empty = a SQLite file in TUTOR_HOME")
    exercises: str = Field(
        "", description=f"further folders of exercises, with “{os.pathsep}” between; see docs/exercise-format.md"
    )
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="where submissions run")
    sandbox: Literal["auto", "fork", "spawn"] = Field("auto", description="how workers are made; auto forks on Linux")
    unsafe_run_without_walls: bool = Field(
        False,
        description="run student code even where the walls have holes: only on a private machine, with code of your own",
    )
    workers: Annotated[int, Unit("checks")] = Field(
        min(2, os.cpu_count() or 1), ge=1, le=64, description="run at once, of all learners together"
    )
    slow_workers: Annotated[int, Unit("checks")] = Field(
        4,
        ge=0,
        le=256,
        description="more run beside these, at the lowest priority, once they have taken a third of a second",
    )
    case_seconds: Annotated[float, Unit("s")] = Field(3.0, ge=0.5, le=60, description="of time for one case")
    check_seconds: Annotated[float, Unit("s")] = Field(8.0, ge=0.5, le=300, description="of time for a whole check")
    memory_mib: Annotated[int, Unit("MiB")] = Field(512, ge=64, le=65536, description="of memory a submission may add")
    source_bytes: Annotated[int, Unit("bytes")] = Field(
        65_536, ge=1_024, le=1_048_576, description="a submission may have"
    )
    print_bytes: Annotated[int, Unit("bytes")] = Field(
        65_536, ge=0, le=1_048_576, description="of printed text are kept"
    )
    result_bytes: Annotated[int, Unit("bytes")] = Field(
        4_194_304, ge=1_048_576, le=67_108_864, description="of tensors may come back from one check"
    )
    learner_running: Annotated[int, Unit("checks")] = Field(1, ge=1, le=64, description="of one learner run at once")
    learner_waiting: Annotated[int, Unit("checks")] = Field(
        4, ge=1, le=1_000, description="of one learner may be unfinished"
    )
    learner_seconds: Annotated[float, Unit("s")] = Field(
        30.0, gt=0, le=3_600, description="of checking time one learner may use in a minute"
    )
    waiting: Annotated[int, Unit("checks")] = Field(
        500, ge=1, le=100_000, description="of all learners may be unfinished"
    )
    lease_seconds: float = Field(6.0, gt=0, le=300, description="silence after which a claimed check is run again")

    @field_validator("exercises")
    @classmethod
    def _are_folders(cls, value: str) -> str:
        for folder in filter(None, value.split(os.pathsep)):
            if not Path(folder).is_dir():
                raise ValueError(f"“{folder}” is no folder; name folders that are there, with “{os.pathsep}” between")
        return value

    @property
    def shelves(self) -> tuple[Shelf, ...]:
        """The project's own exercises, then those of each further folder, whose references lie in its folder ``reference``."""
        more = [Path(folder) for folder in filter(None, self.exercises.split(os.pathsep))]
        own = Shelf(PROJECT / "exercises", PROJECT / "reference")
        return own, *(Shelf(folder, folder / "reference") for folder in more)

    @property
    def effective_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'tutor.db'}"


def limits(settings: Settings) -> tuple[Limit, ...]:
    """Every limit on what is handed in, with its unit."""
    found = []
    for name, field in Settings.model_fields.items():
        for unit in (mark for mark in field.metadata if isinstance(mark, Unit)):
            value = getattr(settings, name)
            found.append(Limit(f"TUTOR_{name.upper()}", value, unit.name, field.description or ""))
    return tuple(found)


def load_settings() -> Settings:
    """Read the environment.

    Raises:
        SettingsError: a variable has a value that is not allowed; the message names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "TUTOR_" + "_".join(str(part) for part in first["loc"]).upper()
        wanted = _wanted(first["type"], first.get("ctx", {}), first["msg"])
        raise SettingsError(f"{name}={first['input']}: {wanted}. The README lists every setting.") from error


def _wanted(kind: str, context: Mapping[str, Any], said: str) -> str:
    """What would have been allowed, in words of ours where pydantic's are those of a programmer."""
    words = {
        "int_parsing": "a whole number is wanted",
        "int_from_float": "a whole number is wanted",
        "float_parsing": "a number is wanted",
        "bool_parsing": "true or false is wanted",
        "literal_error": f"one of these is wanted: {context.get('expected', '')}",
        "greater_than_equal": f"at least {context.get('ge')} is wanted",
        "greater_than": f"more than {context.get('gt')} is wanted",
        "less_than_equal": f"at most {context.get('le')} is wanted",
    }
    return words.get(kind, said.removeprefix("Value error, "))
