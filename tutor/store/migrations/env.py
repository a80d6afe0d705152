"""Run by Alembic for every command; the open connection comes from ``tutor.store.migrate.alembic_config``."""

from __future__ import annotations

from alembic import context

from tutor.store.tables import metadata


def run() -> None:
    """Run the migrations inside the caller's transaction. Batch mode, because SQLite cannot alter most things in place."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        render_as_batch=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
