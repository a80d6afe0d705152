"""Trial runs, which are in the queue and no attempts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

OLD, NEW = "ix_submissions_learner_id_slug_id", "ix_submissions_learner_id_slug_purpose_id"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("purpose", sa.String(length=16), nullable=False, server_default="check"))
    op.add_column("submissions", sa.Column("trial", sa.Text()))
    op.add_column("submissions", sa.Column("outcome", sa.Text()))
    op.create_index(NEW, "submissions", ["learner_id", "slug", "purpose", "id"])
    op.drop_index(OLD, "submissions")


def downgrade() -> None:
    # A version that knows no trials would take them for attempts.
    op.execute("DELETE FROM submissions WHERE purpose <> 'check'")
    op.create_index(OLD, "submissions", ["learner_id", "slug", "id"])
    op.drop_index(NEW, "submissions")
    for name in ("outcome", "trial", "purpose"):
        op.drop_column("submissions", name)
