"""My reading queue and the papers I am currently reading."""

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

QUESTION = "queue"  # context that a pagination cursor is bound to
MAX_PAPERS_BEING_READ = 20  # current readings shown above the queue
_ORDER = (-col(Reading.priority), *IN_QUEUE_ORDER[1:])  # all ascending, for a row-value comparison


class QueuedPaper(NamedTuple):
    """One row of my queue or of my current readings."""

    paper: PaperRow
    reading_id: int
    status: str
    priority: int
    position: int
    added_at: datetime  # when it was added to my list
    changed_at: datetime


def page_queue(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[QueuedPaper]:
    """Return a page of my queue: by priority, then by position, then by age."""
    query = _my_readings_query(me, "to_read").order_by(*_ORDER)
    if page_request.after is not None:
        (priority, position), last_id = page_request.after
        query = query.where(sa.tuple_(*_ORDER) > sa.tuple_(-priority, position, last_id))
    rows, has_more = split_page(tx.execute(query.limit(page_request.limit + 1)).all(), page_request.limit)
    items = _with_papers(tx, me, rows)
    last = rows[-1] if has_more else None
    return Page(items, last and ((last.priority, last.position), last.reading_id))


def list_current_readings(tx: Read, me: CurrentUser, *, limit: int = MAX_PAPERS_BEING_READ) -> list[QueuedPaper]:
    """Return what I am reading, then what I have paused, each by latest change."""
    query = _my_readings_query(me, "reading", "paused").order_by(
        col(Reading.status).desc(), col(Reading.updated_at).desc()
    )
    return _with_papers(tx, me, tx.execute(query.limit(limit)).all())


def count_queue(tx: Read, me: CurrentUser) -> int:
    """Return the length of my queue."""
    return tx.scalar(sa.select(sa.func.count()).select_from(_my_readings_query(me, "to_read").subquery())) or 0


def _my_readings_query(me: CurrentUser, *statuses: str) -> sa.Select[*tuple[Any, ...]]:
    columns: Sequence[Any] = (
        col(Reading.id).label("reading_id"),
        col(Reading.paper_id),
        col(Reading.status),
        col(Reading.priority),
        IN_QUEUE_ORDER[1].label("position"),
        col(Reading.created_at).label("since"),
        col(Reading.updated_at).label("changed_at"),
    )
    query = sa.select(*columns).join(Paper, col(Paper.id) == col(Reading.paper_id))
    conditions = (col(Reading.person_id) == me.id, col(Reading.current), col(Reading.status).in_(statuses))
    return query.where(*conditions, is_listed(Paper))


def _with_papers(tx: Read, me: CurrentUser, rows: Sequence[sa.Row[Any]]) -> list[QueuedPaper]:
    papers = list_rows(tx, me, [row.paper_id for row in rows])
    return [
        QueuedPaper(
            papers[row.paper_id], row.reading_id, row.status, row.priority, row.position, row.since, row.changed_at
        )
        for row in rows
        if row.paper_id in papers
    ]
