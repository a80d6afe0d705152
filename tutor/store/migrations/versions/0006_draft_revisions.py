"""Drafts count how often they were saved, know which session did, and keep the text that was replaced on purpose."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("drafts", sa.Column("revision", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("drafts", sa.Column("aside", sa.Text()))
    op.add_column("drafts", sa.Column("writer", sa.String(length=64)))


def downgrade() -> None:
    for name in ("writer", "aside", "revision"):
        op.drop_column("drafts", name)
