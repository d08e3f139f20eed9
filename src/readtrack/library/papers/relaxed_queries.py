"""What a search that finds nothing would find with one of its terms left out."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.permissions import Visitor
from readtrack.library.papers.lists import found_by

MOST = 100  # papers that are counted: whether it is some or many is what helps


class Nearby(NamedTuple):
    """The search `q` is left without `term`; it finds `papers`, at least when that is MOST."""

    term: str
    q: str
    papers: int

    @property
    def is_bounded(self) -> bool:
        """Whether there may be more of them."""
        return self.papers == MOST


def without_one(tx: Read, me: Visitor, q: str) -> list[Nearby]:
    """Of the first few terms each, where something is left to be found. Raises search.QueryError."""
    pairs = search.without_one(q)
    found = [Nearby(term, rest, _count(tx, me, rest)) for term, rest in pairs]
    return [nearby for nearby in found if nearby.papers]


def _count(tx: Read, me: Visitor, q: str) -> int:
    some = sa.select(col(Paper.id)).where(found_by(tx, me, search.parse(q))).limit(MOST).subquery()
    return tx.scalar(sa.select(sa.func.count()).select_from(some)) or 0
