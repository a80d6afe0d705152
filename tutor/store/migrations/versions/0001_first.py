"""Learners, drafts, submissions and what each submission reached."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Spelled out and not taken from tables.py: a migration says what was true when it was written.
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "learners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_learners"),
        sa.UniqueConstraint("name", name="uq_learners_name"),
    )
    op.create_table(
        "drafts",
        sa.Column("learner_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("saved_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("learner_id", "slug", name="pk_drafts"),
        sa.ForeignKeyConstraint(["learner_id"], ["learners.id"], name="fk_drafts_learner_id"),
    )
    _create_submissions()
    op.create_table(
        "milestone_results",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("milestone", sa.String(100), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("submission_id", "milestone", name="pk_milestone_results"),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_milestone_results_submission_id"),
    )


def _create_submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("learner_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("exercise_version", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("submitted_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(200)),
        sa.Column("lease_until", TIME),
        sa.Column("verdict", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.ForeignKeyConstraint(["learner_id"], ["learners.id"], name="fk_submissions_learner_id"),
    )
    op.create_index("ix_submissions_learner_id_slug_id", "submissions", ["learner_id", "slug", "id"])
    op.create_index("ix_submissions_state_id", "submissions", ["state", "id"])


def downgrade() -> None:
    for table in ("milestone_results", "submissions", "drafts", "learners"):
        op.drop_table(table)
