"""Papers on a person's reading list, as far as the current user may see them."""

from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Reading
from readtrack.infra.permissions import CurrentUser, is_listed, shared_or_own
from readtrack.library.papers.lists import format_progress, format_publication
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import IN_QUEUE_ORDER, is_latest_finished_pass
from readtrack.reading.readings.status_rules import STALE_AFTER


class ListedPaper(NamedTuple):
    """A paper with its reader's status and progress."""

    id: int
    title: str
    language: str
    authors: Sequence[str]
    venue: str
    year: int | None
    status: str
    depth: str
    progress_unit: str
    progress_at: int | None
    progress_of: int | None
    finished_on: date | None
    recommendation: str
    priority: int
    private: bool
    updated_at: datetime
    label: str = ""

    @property
    def appeared(self) -> str:
        """Venue and year."""
        return format_publication(self.venue, self.year)

    @property
    def progress(self) -> str:
        """The progress as text, or ""."""
        return format_progress(self.progress_unit, self.progress_at, self.progress_of)

    @property
    def percent(self) -> int | None:
        """The progress in percent, or None if unknown."""
        total = 100 if self.progress_unit == "percent" else self.progress_of
        return None if self.progress_at is None or not total else min(100 * self.progress_at // total, 100)

    @property
    def stale(self) -> bool:
        """True if nothing has changed for three weeks."""
        return self.updated_at < now() - STALE_AFTER


def list_reading(tx: Read, me: CurrentUser, person_id: int, *, limit: int) -> list[ListedPaper]:
    """Return what a person is reading, latest change first, then what they paused."""
    return _list_with_labels(tx, _current_query(), me, person_id, limit=limit)


def list_queue(tx: Read, me: CurrentUser, person_id: int, *, limit: int) -> list[ListedPaper]:
    """Return a person's queue in their order; for others by date, because the order is private."""
    return _list_with_labels(tx, _queue_query(own=person_id == me.id), me, person_id, limit=limit)


def list_read(tx: Read, me: CurrentUser, person_id: int, *, limit: int) -> list[ListedPaper]:
    """Return what a person finished, latest first; for papers read again, the last finished pass."""
    return _list_with_labels(tx, _finished_query(), me, person_id, limit=limit)


@cache
def _current_query() -> sa.Select[*tuple[Any, ...]]:
    order = (col(Reading.status).desc(), col(Reading.updated_at).desc(), col(Reading.id).desc())
    return (
        _readings_query().where(col(Reading.current), col(Reading.status).in_(("reading", "paused"))).order_by(*order)
    )


@cache
def _queue_query(*, own: bool) -> sa.Select[*tuple[Any, ...]]:
    order = IN_QUEUE_ORDER if own else (col(Reading.id).desc(),)
    return _readings_query().where(col(Reading.current), col(Reading.status) == "to_read").order_by(*order)


@cache
def _finished_query() -> sa.Select[*tuple[Any, ...]]:
    order = (col(Reading.finished_on).is_(None), col(Reading.finished_on).desc(), col(Reading.id).desc())
    return _readings_query().where(is_latest_finished_pass()).order_by(*order)


def _readings_query() -> sa.Select[*tuple[Any, ...]]:
    """Return the query for readings of `:person_id` visible to `:me`, with their papers."""
    names = ListedPaper._fields[:-1]
    columns = [getattr(Paper if name in _OF_PAPER else Reading, name) for name in names]
    query: sa.Select[*tuple[Any, ...]] = sa.select(*columns).join(Reading, col(Reading.paper_id) == col(Paper.id))
    person_id, my_id = sa.bindparam("person_id", type_=sa.Integer), sa.bindparam("me", type_=sa.Integer)
    viewer_id: Any = my_id
    query = query.where(col(Reading.person_id) == person_id, shared_or_own(Reading, viewer_id), is_listed(Paper))
    return query.limit(sa.bindparam("most"))


_OF_PAPER = frozenset({"id", "title", "language", "authors", "venue", "year"})


def _list_with_labels(
    tx: Read, query: sa.Select[*tuple[Any, ...]], me: CurrentUser, person_id: int, *, limit: int
) -> list[ListedPaper]:
    """Run the query and label papers without a title by their identifier."""
    rows = tx.rows(query, {"me": me.id, "person_id": person_id, "most": limit})
    labels = labels_of(tx, [row.id for row in rows if not row.title])
    return [ListedPaper(*row)._replace(label=labels.get(row.id, "")) for row in rows]
