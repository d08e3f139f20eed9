"""Suggestions for searches without results: queries with one term left out."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.lists import visible_papers_filter

MAX_COUNT = 100  # papers counted: whether there are few or many is enough to know


class RelaxedQuery(NamedTuple):
    """The query `q` without `term`, and the number of `papers` it finds, up to MAX_COUNT."""

    term: str
    q: str
    papers: int

    @property
    def is_bounded(self) -> bool:
        """True if there may be more papers."""
        return self.papers == MAX_COUNT


def relax_query(tx: Read, me: CurrentUser, query: str) -> list[RelaxedQuery]:
    """Return relaxed queries with results, for the first few terms. Raise search.QueryError."""
    pairs = search.queries_without_term(query)
    relaxed = [RelaxedQuery(term, shorter_query, _count(tx, me, shorter_query)) for term, shorter_query in pairs]
    return [candidate for candidate in relaxed if candidate.papers]


def _count(tx: Read, me: CurrentUser, query: str) -> int:
    bounded = (
        sa.select(col(Paper.id)).where(visible_papers_filter(tx, me, search.parse(query))).limit(MAX_COUNT).subquery()
    )
    return tx.scalar(sa.select(sa.func.count()).select_from(bounded)) or 0
