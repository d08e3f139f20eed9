"""Queries for the home page, in a fixed number of statements, and for the papers on a person's reading list.

Another person's list contains only what the current user may see.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.models import Invitation, Paper, Person, Reading, Summary
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser, is_listed, is_present, shared_or_own
from readtrack.library.papers.lists import PaperFilter, PaperRow, format_progress, format_publication, list_papers
from readtrack.library.papers.needs_attention import AttentionCounts, count_needs_attention
from readtrack.reading.drafts.queries import DraftRow, list_drafts
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import IN_QUEUE_ORDER, count_mine, is_latest_finished_pass
from readtrack.reading.readings.status_transitions import STALE_AFTER
from readtrack.team.activity.queries import EventRow, list_recent_events
from readtrack.team.assignments.queries import AssignmentFilter, AssignmentRow, list_assignments
from readtrack.team.meetings.queries.agendas import ItemRow, ReaderProgress, find_agenda_items, find_reader_progress
from readtrack.team.meetings.queries.meetings import MeetingRow, find_next
from readtrack.team.notifications.messages import NotificationRow
from readtrack.team.notifications.queries import NotificationFilter, list_notifications
from readtrack.team.questions.queries import QuestionFilter, QuestionRow, list_questions

_OF_PAPER = frozenset({"id", "title", "language", "authors", "venue", "year"})
RECENT_PERIOD = timedelta(days=7)
MAX_EVENTS = 150  # events of the week; they are grouped into far fewer lines
MAX_IN_PROGRESS = 6  # papers in progress
MAX_QUEUED = 5
MAX_ASSIGNED = 5
MAX_QUESTIONS = 4
MAX_NEW_PAPERS = 5
MAX_NOTIFICATIONS = 5
MAX_DRAFTS = 3


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


def _list_with_labels(
    tx: Read, query: sa.Select[*tuple[Any, ...]], me: CurrentUser, person_id: int, *, limit: int
) -> list[ListedPaper]:
    """Run the query and label papers without a title by their identifier."""
    rows = tx.rows(query, {"me": me.id, "person_id": person_id, "most": limit})
    labels = labels_of(tx, [row.id for row in rows if not row.title])
    return [ListedPaper(*row)._replace(label=labels.get(row.id, "")) for row in rows]


class UpcomingMeeting(NamedTuple):
    """The next meeting with its agenda, and everyone's progress on its papers."""

    row: MeetingRow
    items: Sequence[ItemRow]
    progress: dict[int, list[ReaderProgress]]


class FirstSteps(NamedTuple):
    """What has been done in the library and by me. `read_paper`: id of the paper I finished last, if any."""

    has_papers: bool
    read_paper: int | None
    has_summary: bool
    has_invited: bool  # the team has other people, or an invitation


@dataclass(frozen=True)
class Home:
    """Everything shown on the home page."""

    counts: dict[str, int]  # of my list, by status
    reading: Sequence[ListedPaper]
    queue: Sequence[ListedPaper]
    newest_papers: Sequence[PaperRow]  # newest papers of the library, if my list is empty
    assigned: Sequence[AssignmentRow]
    notifications: Sequence[NotificationRow]  # unread
    meeting: UpcomingMeeting | None
    questions: Sequence[QuestionRow]
    drafts: Sequence[DraftRow]  # my unsaved drafts
    recent_events: Sequence[EventRow]
    attention_counts: AttentionCounts
    first_steps: FirstSteps


def get_home(tx: Read, me: CurrentUser) -> Home:
    """Return what is due for me, and what the team did this week."""
    permissions.require(me, "see")
    reading = list_reading(tx, me, me.id, limit=MAX_IN_PROGRESS)
    queue = list_queue(tx, me, me.id, limit=MAX_QUEUED)
    open_assignments = AssignmentFilter(person=me.id, which="open")
    return Home(
        counts=count_mine(tx, me),
        reading=reading,
        queue=queue,
        newest_papers=()
        if reading or queue
        else list_papers(tx, me, PaperFilter(), PageRequest(limit=MAX_NEW_PAPERS)).items,
        assigned=list_assignments(tx, me, open_assignments, PageRequest(limit=MAX_ASSIGNED)).items,
        notifications=list_notifications(tx, me, NotificationFilter(), PageRequest(limit=MAX_NOTIFICATIONS)).items,
        meeting=_find_next_meeting(tx, me),
        questions=list_questions(tx, me, QuestionFilter(mine=True), PageRequest(limit=MAX_QUESTIONS)).items,
        drafts=list_drafts(tx, me, limit=MAX_DRAFTS),
        recent_events=list_recent_events(tx, me, since=now() - RECENT_PERIOD, limit=MAX_EVENTS),
        attention_counts=count_needs_attention(tx),
        first_steps=FirstSteps(*tx.rows(_first_steps_query(), {"me": me.id})[0]),
    )


@cache
def _first_steps_query() -> sa.Select[*tuple[Any, ...]]:
    """Return the query for the FirstSteps of `:me`, in one statement."""
    my_id: Any = sa.bindparam("me", type_=sa.Integer)
    finished = (
        sa.select(col(Reading.paper_id))
        .join(Paper, col(Paper.id) == col(Reading.paper_id))
        .where(col(Reading.person_id) == my_id, col(Reading.status) == "read", is_present(Paper))
        .order_by(col(Reading.finished_on).desc(), col(Reading.id).desc())
        .limit(1)
    )
    is_invitation = sa.and_(col(Invitation.kind) == "join", col(Invitation.person_id).is_(None))
    return sa.select(
        sa.exists().where(is_present(Paper)),
        finished.scalar_subquery(),
        sa.exists().where(col(Summary.person_id) == my_id, col(Summary.deleted_at).is_(None)),
        sa.or_(sa.exists().where(col(Person.id) != my_id), sa.exists().where(is_invitation)),
    )


def _find_next_meeting(tx: Read, me: CurrentUser) -> UpcomingMeeting | None:
    row = find_next(tx, me)
    if row is None:
        return None
    items = find_agenda_items(tx, [row.id]).get(row.id, [])
    papers = [item.paper_id for item in items if item.paper_id]
    return UpcomingMeeting(row, items, find_reader_progress(tx, me, papers, {}))
