"""The tables, as SQLAlchemy Core sees them. The migrations must produce exactly these; a test compares the two."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)


class UtcDateTime(TypeDecorator[datetime]):
    """Timezone-aware UTC going in and coming out, also on SQLite, which keeps no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# Fixed names let a later migration drop or change a constraint on every database.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

learners = Table(
    "learners",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
)

# ``revision`` counts how often a draft was saved; ``aside`` is the text that was there before another was put in its place.
drafts = Table(
    "drafts",
    metadata,
    Column("learner_id", ForeignKey("learners.id"), primary_key=True),
    Column("slug", String(100), primary_key=True),
    Column("source", Text, nullable=False),
    Column("saved_at", UtcDateTime, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("aside", Text),
    Column("writer", String(64)),
)

# ``verdict`` is the JSON of ``tutor.model.Verdict``, ``seconds`` the checking time it took; ``worker`` and ``lease_until`` belong to the newest claim.
# ``hinted_at`` is when the first of ``hints_taken`` was taken.
# ``purpose`` tells checks from trial runs; these have the JSON of what was asked for and of its outcome, and no verdict.
submissions = Table(
    "submissions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("learner_id", ForeignKey("learners.id"), nullable=False),
    Column("slug", String(100), nullable=False),
    Column("exercise_version", Integer, nullable=False),
    Column("source", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("submitted_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("tries", Integer, nullable=False),
    Column("worker", String(200)),
    Column("lease_until", UtcDateTime),
    Column("verdict", Text),
    Column("hints_taken", Integer, nullable=False, server_default="0"),
    Column("seconds", Float, nullable=False, server_default="0"),
    Column("purpose", String(16), nullable=False, server_default="check"),
    Column("trial", Text),
    Column("outcome", Text),
    Column("hinted_at", UtcDateTime),
    Index(None, "learner_id", "slug", "purpose", "id"),
    Index(None, "state", "id"),
    Index(None, "learner_id", "finished_at"),
)

# Append-only: one row per answer to a learning question. ``answer`` is what was written; the parts of an answer of several are its lines.
answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("learner_id", ForeignKey("learners.id"), nullable=False),
    Column("slug", String(100), nullable=False),
    Column("question", String(100), nullable=False),
    Column("answer", Text, nullable=False),
    Column("mark", String(16), nullable=False),
    Column("answered_at", UtcDateTime, nullable=False),
    Index(None, "learner_id", "slug", "question", "id"),
)

# One row per milestone of every verdict that counts, so that progress is one GROUP BY and no JSON is read.
milestone_results = Table(
    "milestone_results",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("milestone", String(100), primary_key=True),
    Column("status", String(16), nullable=False),
)
