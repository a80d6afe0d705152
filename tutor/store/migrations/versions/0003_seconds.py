"""How long each submission was checked, so that a learner's share of the checker can be bounded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

INDEX = "ix_submissions_learner_id_finished_at"


def upgrade() -> None:
    # The default fills the rows that are there, and those that a process of the version before still adds.
    op.add_column("submissions", sa.Column("seconds", sa.Float(), nullable=False, server_default="0"))
    op.create_index(INDEX, "submissions", ["learner_id", "finished_at"])


def downgrade() -> None:
    op.drop_index(INDEX, "submissions")
    # Not in batch mode: that rebuilds the table on SQLite, and the rows of milestone_results point to it.
    op.drop_column("submissions", "seconds")
