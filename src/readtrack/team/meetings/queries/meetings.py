"""Queries on meetings: upcoming and past ones, one meeting, and the meetings of a paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now, to_local
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Meeting, Paper, Person, Series
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present

UNDER_WAY = timedelta(hours=3)  # a meeting counts as upcoming for so long after its start
MAX_PER_PAPER = 20
MAX_CURRENT_MEETINGS = 20  # meetings that may be in progress or just over
MAX_IN_CALENDAR = 500
CALENDAR_BACK = timedelta(days=370)


class MeetingRow(NamedTuple):
    """A meeting in a list. `items`: the number of items on its agenda."""

    id: int
    series_id: int | None
    series: str | None
    title: str
    starts_at: datetime
    minutes: int
    time_zone: str
    location: str
    state: str
    presenter_id: int | None
    presenter: str | None
    version: int
    sequence: int
    updated_at: datetime
    items: int

    @property
    def local_start(self) -> datetime:
        """The start in the meeting's time zone."""
        return to_local(self.starts_at, self.time_zone)

    @property
    def local_end(self) -> datetime:
        return to_local(self.starts_at + timedelta(minutes=self.minutes), self.time_zone)

    @property
    def date(self) -> date:
        return self.local_start.date()

    @property
    def local_time(self) -> str:
        return f"{self.local_start:%H:%M}"

    @property
    def is_past(self) -> bool:
        """True if the meeting's time has passed."""
        return self.starts_at + timedelta(minutes=self.minutes) < now()


@dataclass(frozen=True)
class MeetingDetail:
    """A meeting with its notes and decisions."""

    row: MeetingRow
    notes: str
    decisions: str


@dataclass(frozen=True)
class MeetingFilter:
    """A filter of meetings. None matches all."""

    when: Literal["upcoming", "past"] | None = None
    series: int | None = None
    state: str | None = None

    @property
    def question(self) -> str:
        """The query identity for which a cursor is valid."""
        return f"meetings\0{self.when}\0{self.series}\0{self.state}"

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return the conditions of the filter."""
        series = [] if self.series is None else [col(Meeting.series_id) == self.series]
        state = [] if self.state is None else [col(Meeting.state) == self.state]
        return [*series, *state, *([_WHEN[self.when]()] if self.when else [])]


class PaperMeeting(NamedTuple):
    """A meeting that has a paper on its agenda."""

    id: int
    title: str
    starts_at: datetime
    time_zone: str
    state: str
    item_state: str

    @property
    def date(self) -> date:
        return to_local(self.starts_at, self.time_zone).date()

    @property
    def is_upcoming(self) -> bool:
        """True if the meeting is planned and has not begun."""
        return self.state == "planned" and self.starts_at > now()

    @property
    def outcome(self) -> str:
        """The outcome for the paper, as text."""
        if self.state == "cancelled":
            return _("Canceled")
        labels = {"discussed": _("Discussed"), "postponed": _("Postponed")}
        return labels.get(self.item_state, _("On agenda"))


def list_meetings(
    tx: Read, me: CurrentUser, meeting_filter: MeetingFilter, page_request: PageRequest
) -> Page[MeetingRow]:
    """List meetings by time: upcoming ones soonest first, past ones latest first."""
    permissions.require(me, "see")
    keys, is_descending = (col(Meeting.starts_at), col(Meeting.id)), meeting_filter.when == "past"
    query: sa.Select[Any] = _meetings_query().where(*meeting_filter.conditions())
    if page_request.after is not None:
        last_start, last_id = page_request.after
        sort_key, last_key = (
            sa.tuple_(*keys),
            sa.tuple_(sa.literal(datetime.fromisoformat(last_start), Moment()), last_id),
        )
        query = query.where(sort_key < last_key if is_descending else sort_key > last_key)
    query = query.order_by(*(key.desc() if is_descending else key.asc() for key in keys)).limit(page_request.limit + 1)
    rows, has_more = split_page([_build_row(row) for row in tx.execute(query)], page_request.limit)
    return Page(rows, (rows[-1].starts_at, rows[-1].id) if has_more else None)


def find_next(tx: Read, me: CurrentUser) -> MeetingRow | None:
    """Return the next planned meeting that is not over, for the home page, or None."""
    permissions.require(me, "see")
    candidates = map(_build_row, tx.rows(_next_meeting_query(), {"since": now() - UNDER_WAY}))
    return next((row for row in candidates if not row.is_past), None)


def get_meeting(tx: Read, me: CurrentUser, meeting_id: int) -> MeetingDetail:
    """Return a meeting. Raise NotFound."""
    meeting = find_meetings(tx, me, [meeting_id]).get(meeting_id)
    if meeting is None:
        raise meeting_not_found(meeting_id)
    return meeting


def find_meetings(tx: Read, me: CurrentUser, meeting_ids: Sequence[int]) -> dict[int, MeetingDetail]:
    """Return meetings by id; missing ones are left out."""
    permissions.require(me, "see")
    texts = (col(Meeting.notes), col(Meeting.decisions))
    rows = tx.execute(_meetings_query().add_columns(*texts).where(col(Meeting.id).in_(meeting_ids)))
    return {row.id: MeetingDetail(_build_row(row), row.notes, row.decisions) for row in rows}


def has_outcome(tx: Read, meeting_id: int) -> bool:
    """Return True if the meeting was held, or has notes, decisions or discussed items."""
    has_record = sa.or_(col(Meeting.state) == "held", col(Meeting.notes) != "", col(Meeting.decisions) != "")
    items = sa.select(col(AgendaItem.id)).where(col(AgendaItem.meeting_id) == col(Meeting.id))
    has_discussed = items.where(col(AgendaItem.state) == "discussed").exists()
    query = sa.select(col(Meeting.id)).where(col(Meeting.id) == meeting_id, sa.or_(has_record, has_discussed))
    return tx.scalar(query) is not None


def meeting_not_found(meeting_id: int) -> NotFound:
    """Build the error for a missing meeting."""
    return NotFound(_("Meeting {meeting_id} not found.").format(meeting_id=meeting_id))


def list_for_calendar(tx: Read) -> list[MeetingRow]:
    """List meetings of the last year and all future ones.

    Cancelled ones are included, so that clients remove them.
    """
    query = (
        _meetings_query().where(col(Meeting.starts_at) > now() - CALENDAR_BACK).order_by(col(Meeting.starts_at).desc())
    )
    return [_build_row(row) for row in tx.execute(query.order_by(col(Meeting.id)).limit(MAX_IN_CALENDAR))]


def list_paper_meetings(tx: Read, paper_id: int) -> list[PaperMeeting]:
    """List the meetings that have the paper on their agenda, latest first."""
    return [PaperMeeting(*row) for row in tx.rows(_paper_meetings_query(), {"paper_id": paper_id})]


def list_single_meetings(tx: Read, paper_id: int) -> list[PaperMeeting]:
    """List the upcoming meetings of no open series that lack the paper on their agenda, soonest first."""
    rows = tx.rows(_single_meetings_query(), {"paper_id": paper_id, "now": now()})
    return [PaperMeeting(*row) for row in rows]


@cache
def _single_meetings_query() -> sa.Select[*tuple[Any, ...]]:
    columns = (Meeting.id, Meeting.title, Meeting.starts_at, Meeting.time_zone, Meeting.state)
    selected: Sequence[Any] = [*(col(column) for column in columns), sa.literal("")]  # no item yet
    query: sa.Select[*tuple[Any, ...]] = sa.select(*selected)
    open_series = sa.select(col(Series.id)).where(col(Series.ended_at).is_(None))
    has_paper = sa.select(col(AgendaItem.id)).where(
        col(AgendaItem.meeting_id) == col(Meeting.id), col(AgendaItem.paper_id) == sa.bindparam("paper_id")
    )
    query = query.where(
        col(Meeting.starts_at) > sa.bindparam("now", type_=Moment()),
        col(Meeting.state) == "planned",
        sa.or_(col(Meeting.series_id).is_(None), col(Meeting.series_id).not_in(open_series)),
        ~has_paper.exists(),
    )
    return query.order_by(col(Meeting.starts_at), col(Meeting.id)).limit(MAX_PER_PAPER)


@cache
def _paper_meetings_query() -> sa.Select[*tuple[Any, ...]]:
    columns = (Meeting.id, Meeting.title, Meeting.starts_at, Meeting.time_zone, Meeting.state, AgendaItem.state)
    selected: Sequence[Any] = [col(column) for column in columns]
    query: sa.Select[*tuple[Any, ...]] = sa.select(*selected).join(
        AgendaItem, col(AgendaItem.meeting_id) == col(Meeting.id)
    )
    query = query.where(col(AgendaItem.paper_id) == sa.bindparam("paper_id"))
    return query.order_by(col(Meeting.starts_at).desc(), col(Meeting.id).desc()).limit(MAX_PER_PAPER)


def _meetings_query() -> sa.Select[Any]:
    item_count = (
        sa.select(sa.func.count())
        .select_from(AgendaItem)
        .join(Paper, col(Paper.id) == col(AgendaItem.paper_id), isouter=True)
        .where(col(AgendaItem.meeting_id) == col(Meeting.id), visible_item_filter())
        .scalar_subquery()
    )
    joined_columns: dict[str, Any] = {"series": col(Series.name), "presenter": col(Person.name), "items": item_count}
    columns: Sequence[Any] = [joined_columns.get(name, getattr(Meeting, name, None)) for name in MeetingRow._fields]
    return (
        sa.select(*(column.label(name) for name, column in zip(MeetingRow._fields, columns, strict=True)))
        .select_from(Meeting)
        .join(Series, col(Series.id) == col(Meeting.series_id), isouter=True)
        .join(Person, col(Person.id) == col(Meeting.presenter_id), isouter=True)
    )


@cache
def _next_meeting_query() -> sa.Select[Any]:
    is_upcoming = col(Meeting.starts_at) > sa.bindparam("since", type_=Moment())
    query = _meetings_query().where(is_upcoming, col(Meeting.state) == "planned")
    return query.order_by(col(Meeting.starts_at), col(Meeting.id)).limit(MAX_CURRENT_MEETINGS)


def visible_item_filter() -> sa.ColumnElement[bool]:
    """Return a filter for questions and papers that are not deleted. The caller joins Paper."""
    return sa.or_(col(AgendaItem.paper_id).is_(None), is_present(Paper))


def _build_row(row: sa.Row[Any]) -> MeetingRow:
    return MeetingRow(*row[: len(MeetingRow._fields)])


def _upcoming_filter() -> sa.ColumnElement[bool]:
    return sa.and_(col(Meeting.starts_at) > now() - UNDER_WAY, col(Meeting.state) != "held")


def _past_filter() -> sa.ColumnElement[bool]:
    return sa.or_(col(Meeting.starts_at) <= now() - UNDER_WAY, col(Meeting.state) == "held")


_WHEN = {"upcoming": _upcoming_filter, "past": _past_filter}
