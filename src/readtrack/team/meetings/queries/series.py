"""Queries on series, and suggestions for the next meeting of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now, to_local
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Meeting, Person, Series
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings import recurrence
from readtrack.team.meetings.recurrence import Rhythm, rotate_presenters

LOOKED_BACK = 100  # meetings of a series that say whose turn it is
MAX_NEXT_PRESENTERS = 3  # people in turn that are told
MAX_PEOPLE = 200  # that a form lets choose from
MAX_OPEN_SERIES = 50  # series that a page shows


class SeriesRow(NamedTuple):
    """A series."""

    id: int
    name: str
    interval_weeks: int
    weekday: int
    start_time: str
    minutes: int
    time_zone: str
    starts_on: date | None
    location: str
    presenter_order: Sequence[int]
    version: int
    created_at: datetime
    ended_at: datetime | None

    @property
    def recurrence_text(self) -> str:
        """The recurrence as text."""
        return recurrence.format_rhythm(self.interval_weeks, self.weekday)

    @property
    def recurrence(self) -> Rhythm:
        """The recurrence, starting from the creation date if no start is given."""
        first_day = self.starts_on or to_local(self.created_at, self.time_zone).date()
        return Rhythm(self.interval_weeks, self.weekday, first_day)


@dataclass(frozen=True)
class MeetingSuggestion:
    """A suggested next meeting: the date, None without a recurrence, and the next presenters in order."""

    day: date | None
    presenters: Sequence[tuple[int, str]]

    @property
    def presenter_id(self) -> int | None:
        return self.presenters[0][0] if self.presenters else None


def list_series(tx: Read, me: CurrentUser, page_request: PageRequest, *, ended: bool | None = None) -> Page[SeriesRow]:
    """List series, oldest first: all, or only ended or active ones."""
    permissions.require(me, "see")
    query = _series_query().order_by(col(Series.id)).limit(page_request.limit + 1)
    if ended is not None:
        query = query.where(col(Series.ended_at).is_not(None) if ended else col(Series.ended_at).is_(None))
    if page_request.after is not None:
        query = query.where(col(Series.id) > page_request.after[1])
    rows, has_more = split_page([SeriesRow(*row) for row in tx.execute(query)], page_request.limit)
    return Page(rows, (None, rows[-1].id) if has_more else None)


def list_open_series(tx: Read) -> list[tuple[int, str]]:
    """List the active series for a form, as (id, name)."""
    return [(row[0], row[1]) for row in tx.rows(_OPEN)]


_OPEN: sa.Select[*tuple[Any, ...]] = (  # made once, as every paper's page asks it
    sa.select(col(Series.id), col(Series.name))
    .where(col(Series.ended_at).is_(None))
    .order_by(col(Series.id))
    .limit(MAX_OPEN_SERIES)
)


def get_series(tx: Read, me: CurrentUser, series_id: int) -> SeriesRow:
    """Return a series. Raise NotFound."""
    permissions.require(me, "see")
    row = tx.execute(_series_query().where(col(Series.id) == series_id)).one_or_none()
    if row is None:
        message = _("Series {series_id} not found.").format(series_id=series_id)
        raise NotFound(message)
    return SeriesRow(*row)


def find_meeting_suggestions(tx: Read, rows: Sequence[SeriesRow]) -> dict[int, MeetingSuggestion]:
    """Suggest the next meeting of each series, with two statements in all."""
    if not rows:
        return {}
    meetings_by_series = _find_meetings(tx, [row.id for row in rows])
    active_names = find_names(tx, [person for row in rows for person in row.presenter_order])
    return {row.id: _build_suggestion(row, meetings_by_series.get(row.id, []), active_names) for row in rows}


def find_names(tx: Read, people: Sequence[int]) -> dict[int, str]:
    """Return the names of those who are active."""
    query = sa.select(col(Person.id), col(Person.name)).where(col(Person.id).in_({*people}))
    return dict(tx.execute(query.where(col(Person.disabled_at).is_(None))).all()) if people else {}


def list_presenters(tx: Read, *, chosen: Sequence[int | None] = ()) -> list[tuple[int, str]]:
    """List possible presenters by name, including `chosen` ones who are disabled."""
    is_chosen = col(Person.id).in_([*filter(None, chosen)])
    query = sa.select(col(Person.id), col(Person.name), col(Person.name_key))
    query = query.where(sa.or_(col(Person.disabled_at).is_(None), is_chosen))
    rows = tx.execute(query.order_by(sa.case((is_chosen, 0), else_=1), col(Person.name_key)).limit(MAX_PEOPLE))
    return [(row.id, row.name) for row in sorted(rows, key=lambda row: row.name_key)]


def _build_suggestion(
    row: SeriesRow, meetings: Sequence[sa.Row[Any]], active_names: Mapping[int, str]
) -> MeetingSuggestion:
    meeting_days = [to_local(meeting.starts_at, row.time_zone).date() for meeting in meetings]
    past_presenters = [
        meeting.presenter_id for meeting in meetings if meeting.presenter_id and meeting.state != "cancelled"
    ]
    next_presenters = rotate_presenters(row.presenter_order, past_presenters, active_names)[:MAX_NEXT_PRESENTERS]
    day = recurrence.next_day(row.recurrence, today=_earliest_day(row), meeting_days=meeting_days)
    return MeetingSuggestion(day, [(person, active_names[person]) for person in next_presenters])


def _earliest_day(row: SeriesRow) -> date:
    """Return today if the meeting time is still ahead in the series' time zone, otherwise tomorrow."""
    local_now = to_local(now(), row.time_zone)
    return local_now.date() if f"{local_now:%H:%M}" < row.start_time else local_now.date() + timedelta(days=1)


def _find_meetings(tx: Read, series_ids: Sequence[int]) -> dict[int, list[sa.Row[Any]]]:
    """Return the newest meetings of each series, newest first.

    Cancelled ones are included: their dates are taken.
    """
    row_number = sa.func.row_number().over(partition_by=col(Meeting.series_id), order_by=col(Meeting.starts_at).desc())
    columns = (Meeting.id, Meeting.series_id, Meeting.starts_at, Meeting.state, Meeting.presenter_id)
    ranked = sa.select(*(col(column) for column in columns), row_number.label("place"))
    ranked = ranked.where(col(Meeting.series_id).in_(series_ids))
    ranked_rows = ranked.subquery()
    meetings_by_series: dict[int, list[sa.Row[Any]]] = {}
    query = (
        sa.select(ranked_rows)
        .where(ranked_rows.c.place <= LOOKED_BACK)
        .order_by(ranked_rows.c.starts_at.desc(), ranked_rows.c.id.desc())
    )
    for row in tx.execute(query):
        meetings_by_series.setdefault(row.series_id, []).append(row)
    return meetings_by_series


def _series_query() -> sa.Select[Any]:
    return sa.select(*(getattr(Series, name) for name in SeriesRow._fields))
