"""Suggestions for searches without results: queries with one term left out."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.lists import visible_papers_filter

MOST = 100  # papers counted: whether there are few or many is enough to know


class RelaxedQuery(NamedTuple):
    """The query `q` without `term`, and the number of `papers` it finds, up to MOST."""

    term: str
    q: str
    papers: int

    @property
    def is_bounded(self) -> bool:
        """True if there may be more papers."""
        return self.papers == MOST


def relax_query(tx: Read, me: CurrentUser, q: str) -> list[RelaxedQuery]:
    """Return relaxed queries with results, for the first few terms. Raise search.QueryError."""
    pairs = search.queries_without_term(q)
    found = [RelaxedQuery(term, rest, _count(tx, me, rest)) for term, rest in pairs]
    return [nearby for nearby in found if nearby.papers]


def _count(tx: Read, me: CurrentUser, q: str) -> int:
    some = sa.select(col(Paper.id)).where(visible_papers_filter(tx, me, search.parse(q))).limit(MOST).subquery()
    return tx.scalar(sa.select(sa.func.count()).select_from(some)) or 0
