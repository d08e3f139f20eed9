"""My queue in my order, and what I am at: papers as lists show them, with what my reading says of each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Reading
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.library.papers.lists import PaperRow, list_rows
from readtrack.reading.readings.queries import IN_QUEUE_ORDER

QUESTION = "queue"  # what a cursor is good for
AT_ONCE = 20  # papers that a person is at and that stand above a queue
_ORDER = (-col(Reading.priority), *IN_QUEUE_ORDER[1:])  # the same, all of it ascending


class QueuedPaper(NamedTuple):
    """One line of my queue, or of what I am at."""

    paper: PaperRow
    reading_id: int
    status: str
    priority: int
    position: int
    since: datetime  # on my list
    changed_at: datetime


def page_queue(tx: Read, me: CurrentUser, cut: PageRequest) -> Page[QueuedPaper]:
    """What I want to read: by priority, then as I put it, then in the order in which it came."""
    query = _my_readings_query(me, "to_read").order_by(*_ORDER)
    if cut.after is not None:
        (priority, place), last_id = cut.after
        query = query.where(sa.tuple_(*_ORDER) > sa.tuple_(-priority, place, last_id))
    rows, more = split_page(tx.execute(query.limit(cut.limit + 1)).all(), cut.limit)
    items = _with_papers(tx, me, rows)
    last = rows[-1] if more else None
    return Page(items, last and ((last.priority, last.position), last.reading_id))


def list_current_readings(tx: Read, me: CurrentUser, *, limit: int = AT_ONCE) -> list[QueuedPaper]:
    """What I am reading, then what rests; of each the latest change first."""
    query = _my_readings_query(me, "reading", "paused").order_by(
        col(Reading.status).desc(), col(Reading.updated_at).desc()
    )
    return _with_papers(tx, me, tx.execute(query.limit(limit)).all())


def count_queue(tx: Read, me: CurrentUser) -> int:
    """How many papers I want to read."""
    return tx.scalar(sa.select(sa.func.count()).select_from(_my_readings_query(me, "to_read").subquery())) or 0


def _my_readings_query(me: CurrentUser, *statuses: str) -> sa.Select[*tuple[Any, ...]]:
    shown: Sequence[Any] = (
        col(Reading.id).label("reading_id"),
        col(Reading.paper_id),
        col(Reading.status),
        col(Reading.priority),
        IN_QUEUE_ORDER[1].label("position"),
        col(Reading.created_at).label("since"),
        col(Reading.updated_at).label("changed_at"),
    )
    query = sa.select(*shown).join(Paper, col(Paper.id) == col(Reading.paper_id))
    mine = (col(Reading.person_id) == me.id, col(Reading.current), col(Reading.status).in_(statuses))
    return query.where(*mine, is_listed(Paper))


def _with_papers(tx: Read, me: CurrentUser, rows: Sequence[sa.Row[Any]]) -> list[QueuedPaper]:
    papers = list_rows(tx, me, [row.paper_id for row in rows])
    return [
        QueuedPaper(
            papers[row.paper_id], row.reading_id, row.status, row.priority, row.position, row.since, row.changed_at
        )
        for row in rows
        if row.paper_id in papers
    ]
