"""My queue in my order, and what I am at: papers as lists show them, with what my reading says of each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Reading
from readtrack.infra.pagination import Cut, Page, page
from readtrack.infra.permissions import Visitor, listed
from readtrack.library.papers.lists import PaperRow, list_rows
from readtrack.reading.readings.queries import IN_QUEUE_ORDER

QUESTION = "queue"  # what a cursor is good for
AT_ONCE = 20  # papers that a person is at and that stand above a queue
_ORDER = (-col(Reading.priority), *IN_QUEUE_ORDER[1:])  # the same, all of it ascending


class Queued(NamedTuple):
    """One line of my queue, or of what I am at."""

    paper: PaperRow
    reading_id: int
    status: str
    priority: int
    place: int
    since: datetime  # on my list
    changed_at: datetime


def page_queue(tx: Read, me: Visitor, cut: Cut) -> Page[Queued]:
    """What I want to read: by priority, then as I put it, then in the order in which it came."""
    query = _mine(me, "to_read").order_by(*_ORDER)
    if cut.after is not None:
        (priority, place), last_id = cut.after
        query = query.where(sa.tuple_(*_ORDER) > sa.tuple_(-priority, place, last_id))
    rows, more = page(tx.execute(query.limit(cut.limit + 1)).all(), cut.limit)
    items = _with_papers(tx, me, rows)
    last = rows[-1] if more else None
    return Page(items, last and ((last.priority, last.place), last.reading_id))


def list_at(tx: Read, me: Visitor, *, limit: int = AT_ONCE) -> list[Queued]:
    """What I am reading, then what rests; of each the latest change first."""
    query = _mine(me, "reading", "paused").order_by(col(Reading.status).desc(), col(Reading.updated_at).desc())
    return _with_papers(tx, me, tx.execute(query.limit(limit)).all())


def count_queue(tx: Read, me: Visitor) -> int:
    """How many papers I want to read."""
    return tx.scalar(sa.select(sa.func.count()).select_from(_mine(me, "to_read").subquery())) or 0


def _mine(me: Visitor, *statuses: str) -> sa.Select[*tuple[Any, ...]]:
    shown: Sequence[Any] = (
        col(Reading.id).label("reading_id"),
        col(Reading.paper_id),
        col(Reading.status),
        col(Reading.priority),
        IN_QUEUE_ORDER[1].label("place"),
        col(Reading.created_at).label("since"),
        col(Reading.updated_at).label("changed_at"),
    )
    query = sa.select(*shown).join(Paper, col(Paper.id) == col(Reading.paper_id))
    mine = (col(Reading.person_id) == me.id, col(Reading.current), col(Reading.status).in_(statuses))
    return query.where(*mine, listed(Paper))


def _with_papers(tx: Read, me: Visitor, rows: Sequence[sa.Row[Any]]) -> list[Queued]:
    papers = list_rows(tx, me, [row.paper_id for row in rows])
    return [
        Queued(papers[row.paper_id], row.reading_id, row.status, row.priority, row.place, row.since, row.changed_at)
        for row in rows
        if row.paper_id in papers
    ]
