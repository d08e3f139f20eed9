"""Questions about readings. Other people's private readings are seen by nobody else."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Read
from readtrack.models import Paper, Person, Reading, ReadingEvent
from readtrack.models.columns import Moment
from readtrack.paging import Cut, Page, page
from readtrack.policy import Visitor, listed, present, shared_or_own

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
    col(Reading.version_label),
    col(Reading.private),
    col(Reading.updated_at),
)


_NEWEST = (col(Reading.updated_at).desc(), col(Reading.id).desc())


@dataclass(frozen=True)
class ReadingFilter:
    """Which readings; what is None is not asked for."""

    person: int | None = None
    status: str | None = None
    since: datetime | None = None

    @property
    def question(self) -> str:
        """What a cursor is good for."""
        return f"readings\0{self.person}\0{self.status}\0{self.since}"

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """What holds for each of them."""
        person = [] if self.person is None else [col(Reading.person_id) == self.person]
        status = [] if self.status is None else [col(Reading.status) == self.status]
        since = [] if self.since is None else [col(Reading.updated_at) >= self.since]
        return [*person, *status, *since]


def find_my_reading(tx: Read, me: Visitor, paper_id: int) -> sa.Row[Any] | None:
    """My present pass through a paper, or None when it is not on my list."""
    mine = sa.select(*SHOWN).where(
        col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id, col(Reading.current)
    )
    return tx.execute(mine).one_or_none()


def list_readings(tx: Read, me: Visitor, paper_id: int) -> list[sa.Row[Any]]:
    """Everybody's present pass through a paper with their names, newest change first."""
    return list(tx.execute(_seen_by(me).where(col(Reading.paper_id) == paper_id).order_by(*_NEWEST)))


def page_readings(tx: Read, me: Visitor, wanted: ReadingFilter, cut: Cut) -> Page[sa.Row[Any]]:
    """Present passes over all papers with their readers' names, newest change first."""
    query = _seen_by(me).where(*wanted.conditions())
    if cut.after is not None:
        at, last_id = cut.after
        last = sa.tuple_(sa.literal(datetime.fromisoformat(at), Moment()), last_id)
        query = query.where(sa.tuple_(col(Reading.updated_at), col(Reading.id)) < last)
    rows, more = page(tx.execute(query.order_by(*_NEWEST).limit(cut.limit + 1)).all(), cut.limit)
    return Page(rows, (rows[-1].updated_at, rows[-1].id) if more else None)


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


_COUNT_MINE = (  # made once, as it stands on every page of the library
    sa.select(col(Reading.status), sa.func.count())
    .join(Paper, col(Paper.id) == col(Reading.paper_id))
    .where(col(Reading.person_id) == sa.bindparam("me"), col(Reading.current), listed(Paper))
    .group_by(col(Reading.status))
)


def count_mine(tx: Read, me: Visitor) -> dict[str, int]:
    """How many papers I have in each status."""
    return dict(tx.execute(_COUNT_MINE, {"me": me.id}).all())


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


def _seen_by(me: Visitor) -> sa.Select[*tuple[Any, ...]]:
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(*SHOWN, col(Reading.id), col(Person.name).label("person"), col(Paper.title).label("title"))
        .join(Person, col(Person.id) == col(Reading.person_id))
        .join(Paper, col(Paper.id) == col(Reading.paper_id))
        .where(col(Reading.current), shared_or_own(Reading, me.id), present(Paper))
    )
    return query
