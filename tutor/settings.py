"""Every setting, read once from ``TUTOR_…`` environment variables. The defaults run everything on one machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from tutor.errors import SettingsError

PROJECT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """Settings with their units; the README lists the same table."""

    model_config = SettingsConfigDict(env_prefix="TUTOR_", frozen=True, extra="ignore")

    home: Path = Field(PROJECT / "var", description="folder for the database file")
    database_url: str = Field("", description="SQLAlchemy URL; empty = a SQLite file in TUTOR_HOME")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="where submissions run")
    workers: int = Field(min(2, os.cpu_count() or 1), ge=1, le=64, description="checks that run at once")
    case_seconds: float = Field(3.0, gt=0, le=60, description="wall time one case may take")
    check_seconds: float = Field(8.0, gt=0, le=300, description="wall time one whole check may take")
    memory_mib: int = Field(512, ge=64, le=65536, description="address space a submission may add, MiB")
    source_bytes: int = Field(65_536, ge=1_024, le=1_048_576, description="largest submission, bytes")
    print_bytes: int = Field(65_536, ge=0, le=1_048_576, description="printed text kept, bytes")
    learner_running: int = Field(1, ge=1, le=64, description="checks of one learner that run at once")
    learner_waiting: int = Field(4, ge=1, le=1_000, description="unfinished checks one learner may have")
    waiting: int = Field(500, ge=1, le=100_000, description="unfinished checks of all learners together")
    learner_seconds: float = Field(30.0, gt=0, le=3_600, description="checking time one learner may use in a minute")
    lease_seconds: float = Field(6.0, gt=0, le=600, description="silence after which a claimed check is run again")

    @property
    def effective_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'tutor.db'}"


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
        raise SettingsError(f"{name}={first['input']!r}: {first['msg']}.") from error
