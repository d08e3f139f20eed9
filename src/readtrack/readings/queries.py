"""Questions about readings. Other people's private readings are seen by nobody else."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Read
from readtrack.models import Paper, Person, Reading, ReadingEvent
from readtrack.policy import Visitor, listed, shared_or_own

SHOWN = (
    col(Reading.paper_id),
    col(Reading.person_id),
    col(Reading.pass_number),
    col(Reading.status),
    col(Reading.depth),
    col(Reading.progress_unit),
    col(Reading.progress_at),
    col(Reading.progress_of),
    col(Reading.started_on),
    col(Reading.finished_on),
    col(Reading.reason),
    col(Reading.private),
    col(Reading.updated_at),
)


def find_my_reading(tx: Read, me: Visitor, paper_id: int) -> sa.Row[Any] | None:
    """My present pass through a paper, or None when it is not on my list."""
    mine = sa.select(*SHOWN).where(
        col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id, col(Reading.current)
    )
    return tx.execute(mine).one_or_none()


def list_readings(
    tx: Read,
    me: Visitor,
    *,
    paper_id: int | None = None,
    person_id: int | None = None,
    status: str = "",
    since: datetime | None = None,
) -> list[sa.Row[Any]]:
    """Present passes with their readers' names, newest change first, at most 500."""
    query = (
        sa.select(*SHOWN, col(Person.name).label("person"), col(Paper.title).label("title"))
        .join(Person, col(Person.id) == col(Reading.person_id))
        .join(Paper, col(Paper.id) == col(Reading.paper_id))
        .where(col(Reading.current), shared_or_own(Reading, me.id), col(Paper.deleted_at).is_(None))
    )
    for condition in _narrowed(paper_id, person_id, status, since):
        query = query.where(condition)
    return list(tx.execute(query.order_by(col(Reading.updated_at).desc(), col(Reading.id).desc()).limit(500)))


def readers_of(tx: Read, me: Visitor, paper_ids: Iterable[int]) -> dict[int, list[str]]:
    """Who has a finished pass through each of these papers, by name."""
    readers: dict[int, list[str]] = {}
    for paper_id, name in tx.execute(_READERS_OF, {"ids": list(paper_ids), "me": me.id}):
        readers.setdefault(paper_id, []).append(name)
    return readers


def list_passes(tx: Read, me: Visitor, paper_id: int) -> list[sa.Row[Any]]:
    """All my passes through a paper, the first one first."""
    mine = sa.select(*SHOWN).where(col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id)
    return list(tx.execute(mine.order_by(col(Reading.pass_number))))


def count_mine(tx: Read, me: Visitor) -> dict[str, int]:
    """How many papers I have in each status."""
    mine = sa.select(col(Reading.status), sa.func.count()).join(Paper, col(Paper.id) == col(Reading.paper_id))
    mine = mine.where(col(Reading.person_id) == me.id, col(Reading.current), listed(Paper))
    return dict(tx.execute(mine.group_by(col(Reading.status))).all())


def find_last_event(tx: Read, me: Visitor, paper_id: int) -> ReadingEvent | None:
    """My latest change on a paper: what undo would take back."""
    mine = sa.select(ReadingEvent).where(col(ReadingEvent.person_id) == me.id, col(ReadingEvent.paper_id) == paper_id)
    return tx.scalar(mine.order_by(col(ReadingEvent.id).desc()).limit(1))


def finished() -> sa.ColumnElement[bool]:
    """A finished pass: what makes somebody a reader of a paper. Defined here once."""
    return col(Reading.status) == "read"


_me: Any = sa.bindparam("me")
_READERS_OF = (  # made once, as every list of papers asks it
    sa.select(col(Reading.paper_id), col(Person.name))
    .join(Person, col(Person.id) == col(Reading.person_id))
    .where(col(Reading.paper_id).in_(sa.bindparam("ids", expanding=True)), finished(), shared_or_own(Reading, _me))
    .group_by(col(Reading.paper_id), col(Person.name))
    .order_by(col(Person.name))
)


def _narrowed(
    paper_id: int | None, person_id: int | None, status: str, since: datetime | None
) -> list[sa.ColumnElement[bool]]:
    conditions = []
    if paper_id is not None:
        conditions.append(col(Reading.paper_id) == paper_id)
    if person_id is not None:
        conditions.append(col(Reading.person_id) == person_id)
    if status:
        conditions.append(col(Reading.status) == status)
    if since is not None:
        conditions.append(col(Reading.updated_at) >= since)
    return conditions
