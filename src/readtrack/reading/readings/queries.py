"""Queries on readings. Private ones are visible only to their reader."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.models import Event, Paper, Person, Reading, ReadingEvent
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present, is_unlisted, shared_or_own
from readtrack.reading.readings import positions, status_transitions

SHOWN: Sequence[Any] = (
    col(Reading.paper_id),
    col(Reading.person_id),
    col(Reading.pass_number).label("pass_number"),  # its column has another name
    col(Reading.status),
    col(Reading.depth),
    col(Reading.recommendation),
    col(Reading.progress_unit),
    col(Reading.progress_at),
    col(Reading.progress_of),
    col(Reading.started_on),
    col(Reading.finished_on),
    col(Reading.reason),
    col(Reading.version_label),
    col(Reading.private),
    col(Reading.priority),
    col(Reading.updated_at),
)
IN_QUEUE_ORDER = (  # priority, then as I put them, then as they came
    col(Reading.priority).desc(),
    sa.func.coalesce(col(Reading.position), positions.FIRST_POSITION),
    col(Reading.id),
)
MAX_PASSES = 500  # of one paper, that are shown

_NEWEST = (col(Reading.updated_at).desc(), col(Reading.id).desc())


@dataclass(frozen=True)
class ReadingFilter:
    """A filter of readings. None matches all. `since`: changed since then, also by undoing a change."""

    person: int | None = None
    status: str | None = None
    since: datetime | None = None

    @property
    def question(self) -> str:
        """The query identity for which a cursor is valid."""
        return f"readings\0{self.person}\0{self.status}\0{self.since}"

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return the conditions of the filter."""
        person = [] if self.person is None else [col(Reading.person_id) == self.person]
        status = [] if self.status is None else [col(Reading.status) == self.status]
        since = [] if self.since is None else [sa.or_(col(Reading.updated_at) >= self.since, _undone_since(self.since))]
        return [*person, *status, *since]


def _undone_since(moment: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a change was undone since; undoing restores `updated_at`."""
    undone = sa.select(col(Event.id)).where(col(Event.verb) == "reading.undone", col(Event.created_at) >= moment)
    same_reading = (col(Event.paper_id) == col(Reading.paper_id), col(Event.person_id) == col(Reading.person_id))
    return undone.where(*same_reading).exists()


def find_my_reading(tx: Read, me: CurrentUser, paper_id: int) -> sa.Row[Any] | None:
    """Return the user's current pass of a paper, or None."""
    return next(iter(tx.rows(_MINE_NOW, {"me": me.id, "paper_id": paper_id})), None)


def list_readings(tx: Read, me: CurrentUser, paper_id: int) -> list[sa.Row[Any]]:
    """List everyone's current pass of a paper with names, latest change first."""
    return list(tx.rows(_SEEN_OF, {"me": me.id, "paper_id": paper_id}))


def list_earlier(tx: Read, me: CurrentUser, paper_id: int) -> list[sa.Row[Any]]:
    """List the earlier passes of a paper, latest first."""
    return list(tx.rows(_EARLIER_OF, {"me": me.id, "paper_id": paper_id}))


def find_passes(
    tx: Read, me: CurrentUser, paper_ids: Sequence[int], person_ids: Sequence[int]
) -> dict[tuple[int, int], list[sa.Row[Any]]]:
    """Return the visible passes of these people by paper and person, latest first, each with `current`."""
    passes: dict[tuple[int, int], list[sa.Row[Any]]] = {}
    for row in tx.rows(_PASSES_OF, {"me": me.id, "ids": paper_ids, "people": person_ids}):
        passes.setdefault((row.paper_id, row.person_id), []).append(row)
    return passes


def group_recommendations(readings: Iterable[Any], earlier: Iterable[Any]) -> dict[str, list[str]]:
    """Return the names of people by recommendation, from the latest finished pass of each."""
    latest: dict[int, Any] = {}
    for reading in sorted([*readings, *earlier], key=attrgetter("pass_number")):
        if reading.status == "read":
            latest[reading.person_id] = reading
    names_by_word: dict[str, list[str]] = {word: [] for word in status_transitions.RECOMMENDATIONS}
    for reading in latest.values():
        if reading.recommendation:
            names_by_word[reading.recommendation].append(reading.person)
    return {word: sorted(people) for word, people in names_by_word.items() if people}


def page_readings(
    tx: Read, me: CurrentUser, reading_filter: ReadingFilter, page_request: PageRequest
) -> Page[sa.Row[Any]]:
    """List current passes of all papers with names, latest change first."""
    query = _passes_seen_by(me.id).where(col(Reading.current), *reading_filter.conditions())
    if page_request.after is not None:
        updated_at, last_id = page_request.after
        last = sa.tuple_(sa.literal(datetime.fromisoformat(updated_at), Moment()), last_id)
        query = query.where(sa.tuple_(col(Reading.updated_at), col(Reading.id)) < last)
    rows, has_more = split_page(
        tx.execute(query.order_by(*_NEWEST).limit(page_request.limit + 1)).all(), page_request.limit
    )
    return Page(rows, (rows[-1].updated_at, rows[-1].id) if has_more else None)


def list_readers(tx: Read, me: CurrentUser, paper_ids: Iterable[int]) -> dict[int, list[str]]:
    """Return the names of those with a finished pass, by paper."""
    readers: dict[int, list[str]] = {}
    for paper_id, name in tx.rows(_READERS_OF, {"ids": list(paper_ids), "me": me.id}):
        readers.setdefault(paper_id, []).append(name)
    return readers


class TeamReadings(NamedTuple):
    """The team's readings of a paper: who has read it, and how many others read, want or recommend it."""

    readers: Sequence[str] = ()
    reading: int = 0
    to_read: int = 0
    must_read: int = 0


NOBODY = TeamReadings()


def list_team_readings(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> dict[int, TeamReadings]:
    """Return the team's readings of each paper, in one statement."""
    teams: dict[int, TeamReadings] = {}
    for paper_id, name, has_read, reading, to_read, must_read in tx.rows(_TEAMS_OF, {"ids": paper_ids, "me": me.id}):
        team = teams.get(paper_id, NOBODY)
        readers = (*team.readers, name) if has_read else team.readers
        teams[paper_id] = TeamReadings(
            readers, team.reading + reading, team.to_read + to_read, team.must_read + must_read
        )
    return teams


def list_passes(tx: Read, me: CurrentUser, paper_id: int) -> list[sa.Row[Any]]:
    """List the user's passes of a paper, first one first."""
    return list(tx.rows(_MINE_ALL, {"me": me.id, "paper_id": paper_id}))


HIDDEN = sa.select(col(Paper.id)).where(is_unlisted(Paper))  # few: to leave them out is faster than to look each up
_COUNT_MINE = (
    sa.select(col(Reading.status), sa.func.count())
    .where(col(Reading.person_id) == sa.bindparam("me"), col(Reading.current), col(Reading.paper_id).not_in(HIDDEN))
    .group_by(col(Reading.status))
)


def count_mine(tx: Read, me: CurrentUser) -> dict[str, int]:
    """Count the user's papers by status."""
    return dict(tx.rows(_COUNT_MINE, {"me": me.id}))


def last_position(tx: Read, me: CurrentUser, priority: int) -> int:
    """Return the last position of that priority in the user's queue."""
    conditions = (col(Reading.person_id) == me.id, col(Reading.current), col(Reading.status) == "to_read")
    position_query = sa.select(sa.func.max(IN_QUEUE_ORDER[1])).where(*conditions, col(Reading.priority) == priority)
    return tx.scalar(position_query) or positions.FIRST_POSITION


def find_last_event(tx: Read, me: CurrentUser, paper_id: int) -> ReadingEvent | None:
    """Return the user's latest change of a paper, which undo reverts."""
    query = sa.select(ReadingEvent).where(col(ReadingEvent.person_id) == me.id, col(ReadingEvent.paper_id) == paper_id)
    return tx.scalar(query.order_by(col(ReadingEvent.id).desc()).limit(1))


def is_finished_pass() -> sa.ColumnElement[bool]:
    """Return the condition for a finished pass, the only definition of a paper's reader."""
    return col(Reading.status) == "read"


def is_recommendation(word: str) -> sa.ColumnElement[bool]:
    """Return the condition for a recommendation from a person's latest finished pass.

    This is the only definition of a valid recommendation.
    """
    return sa.and_(col(Reading.recommendation) == word, is_latest_finished_pass())


def is_latest_finished_pass() -> sa.ColumnElement[bool]:
    """Return the condition for the last pass of a paper that its reader finished."""
    later = aliased(Reading)
    again = sa.exists().where(
        col(later.person_id) == col(Reading.person_id),
        col(later.paper_id) == col(Reading.paper_id),
        col(later.status) == "read",
        col(later.pass_number) > col(Reading.pass_number),
    )
    return sa.and_(is_finished_pass(), sa.not_(again))


_me: Any = sa.bindparam("me")
_READERS_OF = (
    sa.select(col(Reading.paper_id), col(Person.name))
    .join(Person, col(Person.id) == col(Reading.person_id))
    .where(in_id_list(col(Reading.paper_id), "ids"), is_finished_pass(), shared_or_own(Reading, _me))
    .group_by(col(Reading.paper_id), col(Person.name))
    .order_by(col(Person.name))
)


def _count(condition: sa.ColumnElement[bool]) -> sa.Function[int]:
    return sa.func.sum(sa.case((condition, 1), else_=0))


_others = sa.and_(col(Reading.current), col(Reading.person_id) != _me)  # my own state stands in the row itself
_TEAMS_OF = (  # made once, as every list of papers asks it
    sa.select(
        col(Reading.paper_id),
        col(Person.name),
        _count(is_finished_pass()).label("read"),
        _count(sa.and_(_others, col(Reading.status) == "reading")).label("reading"),
        _count(sa.and_(_others, col(Reading.status) == "to_read")).label("to_read"),
        _count(is_recommendation("must_read")).label("must_read"),
    )
    .join(Person, col(Person.id) == col(Reading.person_id))
    .where(in_id_list(col(Reading.paper_id), "ids"), shared_or_own(Reading, _me))
    .group_by(col(Reading.paper_id), col(Person.id), col(Person.name))
    .order_by(col(Person.name))
)


def _passes_seen_by(me_id: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401 - a number, or the name of one
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(*SHOWN, col(Reading.id), col(Person.name).label("person"), col(Paper.title).label("title"))
        .join(Person, col(Person.id) == col(Reading.person_id))
        .join(Paper, col(Paper.id) == col(Reading.paper_id))
        .where(shared_or_own(Reading, me_id), is_present(Paper))
    )
    return query


# Made once, as a paper's page asks all of them.
_OF_PAPER = col(Reading.paper_id) == sa.bindparam("paper_id")
_MINE_ALL = sa.select(*SHOWN).where(col(Reading.person_id) == _me, _OF_PAPER).order_by(col(Reading.pass_number))
_MINE_NOW = sa.select(*SHOWN).where(col(Reading.person_id) == _me, _OF_PAPER, col(Reading.current))
_SEEN_OF = _passes_seen_by(_me).where(col(Reading.current), _OF_PAPER).order_by(*_NEWEST).limit(MAX_PASSES)
_PASSES_OF = (
    _passes_seen_by(_me)
    .add_columns(col(Reading.current))
    .where(in_id_list(col(Reading.paper_id), "ids"), in_id_list(col(Reading.person_id), "people"))
    .order_by(col(Reading.pass_number).desc())
)
_EARLIER_OF = (
    _passes_seen_by(_me)
    .where(sa.not_(col(Reading.current)), _OF_PAPER)
    .order_by(col(Reading.pass_number).desc(), col(Reading.id).desc())
    .limit(MAX_PASSES)
)
