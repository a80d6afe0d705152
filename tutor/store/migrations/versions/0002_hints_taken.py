"""How many hints were taken on each submission."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The default fills the rows that are there, and those that a process of the version before still adds.
    op.add_column("submissions", sa.Column("hints_taken", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    # Not in batch mode: that rebuilds the table on SQLite, and the rows of milestone_results point to it.
    op.drop_column("submissions", "hints_taken")
