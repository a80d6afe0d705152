"""When the first hint on each submission was taken: milestones passed with and without hints are kept apart."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("hinted_at", sa.DateTime(timezone=True)))
    # Nobody kept the time so far. A hint is offered with the verdict, so it was taken then, or soon after.
    op.execute("UPDATE submissions SET hinted_at = finished_at WHERE hints_taken > 0")


def downgrade() -> None:
    op.drop_column("submissions", "hinted_at")
