"""What a search that finds nothing would find with one of its terms left out."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.lists import visible_papers_filter

MOST = 100  # papers that are counted: whether it is some or many is what helps


class RelaxedQuery(NamedTuple):
    """The search `q` is left without `term`; it finds `papers`, at least when that is MOST."""

    term: str
    q: str
    papers: int

    @property
    def is_bounded(self) -> bool:
        """Whether there may be more of them."""
        return self.papers == MOST


def relax_query(tx: Read, me: CurrentUser, q: str) -> list[RelaxedQuery]:
    """Of the first few terms each, where something is left to be found. Raises search.QueryError."""
    pairs = search.queries_without_term(q)
    found = [RelaxedQuery(term, rest, _count(tx, me, rest)) for term, rest in pairs]
    return [nearby for nearby in found if nearby.papers]


def _count(tx: Read, me: CurrentUser, q: str) -> int:
    some = sa.select(col(Paper.id)).where(visible_papers_filter(tx, me, search.parse(q))).limit(MOST).subquery()
    return tx.scalar(sa.select(sa.func.count()).select_from(some)) or 0
