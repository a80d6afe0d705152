"""Answers to learning questions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

INDEX = "ix_answers_learner_id_slug_question_id"


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("learner_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("question", sa.String(length=100), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("mark", sa.String(length=16), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["learner_id"], ["learners.id"], name="fk_answers_learner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_answers"),
    )
    op.create_index(INDEX, "answers", ["learner_id", "slug", "question", "id"])


def downgrade() -> None:
    op.drop_index(INDEX, "answers")
    op.drop_table("answers")
