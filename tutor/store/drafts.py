"""Drafts in a database: saved as typed, and never over a text that somebody has not seen."""

from __future__ import annotations

from sqlalchemy import and_, select, update

from tutor.errors import StoreError
from tutor.model import Draft
from tutor.store.connect import plain_errors
from tutor.store.tables import drafts
from tutor.store.transactions import Transactions

_READ = tuple(drafts.c[name] for name in Draft.model_fields)


class Drafts(Transactions):
    """The part of a ``Store`` that keeps drafts; see ``tutor.store.protocol`` for what each method promises."""

    def save_draft(
        self,
        learner_id: int,
        slug: str,
        source: str,
        base: int | None = None,
        *,
        aside: str | None = None,
        writer: str | None = None,
    ) -> Draft | None:
        values = {"source": source, "saved_at": self._clock(), "aside": aside, "writer": writer}
        if (saved := self._replace(learner_id, slug, base, values)) is not None:
            return saved
        first = {"learner_id": learner_id, "slug": slug, "revision": (base or 0) + 1, **values}
        with plain_errors(self._engine, "save the draft"):
            if self._insert_or_lose(drafts, **first):
                return Draft.model_validate({name: first[name] for name in Draft.model_fields})
        # There is one by now, or there is no such learner.
        if base is None and (saved := self._replace(learner_id, slug, base, values)) is not None:
            return saved
        if self.draft(learner_id, slug) is None:
            raise StoreError(f"The draft was not saved: there is no learner {learner_id}. Reload the page.")
        return None

    def draft(self, learner_id: int, slug: str) -> Draft | None:
        mine = and_(drafts.c.learner_id == learner_id, drafts.c.slug == slug)
        with self._statement("read the draft") as connection:
            row = connection.execute(select(*_READ).where(mine)).one_or_none()
        return None if row is None else Draft.model_validate(dict(row._mapping))

    def _replace(self, learner_id: int, slug: str, base: int | None, values: dict[str, object]) -> Draft | None:
        """Compare and set in one UPDATE: of two who saw the same draft, the second finds another."""
        mine = and_(drafts.c.learner_id == learner_id, drafts.c.slug == slug)
        seen = mine if base is None else and_(mine, drafts.c.revision == base)
        change = update(drafts).where(seen).values(revision=drafts.c.revision + 1, **values).returning(*_READ)
        with self._statement("save the draft") as connection:
            row = connection.execute(change).one_or_none()
        return None if row is None else Draft.model_validate(dict(row._mapping))
