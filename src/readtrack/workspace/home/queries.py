"""Queries for the home page, in a fixed number of statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Person
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.library.papers.lists import PaperFilter, PaperRow, list_papers
from readtrack.library.papers.needs_attention import AttentionCounts, count_needs_attention
from readtrack.reading.drafts.queries import DraftRow, list_drafts
from readtrack.reading.readings.queries import count_mine
from readtrack.team.activity.queries import EventRow, list_recent_events
from readtrack.team.assignments.queries import AssignmentFilter, AssignmentRow, list_assignments
from readtrack.team.meetings.queries.agendas import ItemRow, ReaderProgress, find_agenda_items, find_reader_progress
from readtrack.team.meetings.queries.meetings import MeetingRow, find_next
from readtrack.team.notifications.messages import NotificationRow
from readtrack.team.notifications.queries import NotificationFilter, list_notifications
from readtrack.team.questions.queries import QuestionFilter, QuestionRow, list_questions
from readtrack.workspace.home.reading_lists import ListedPaper, list_queue, list_reading

RECENT_PERIOD = timedelta(days=7)
MOST_EVENTS = 150  # events of the week; they are grouped into far fewer lines
MOST_READ = 6  # papers in progress
MOST_QUEUED = 5
MOST_ASSIGNED = 5
MOST_ASKED = 4
MOST_FRESH = 5
MOST_NOTICES = 5
MOST_DRAFTS = 3


class UpcomingMeeting(NamedTuple):
    """The next meeting with its agenda, and everyone's progress on its papers."""

    row: MeetingRow
    items: Sequence[ItemRow]
    progress: dict[int, list[ReaderProgress]]


class TeamOverview(NamedTuple):
    """Whether the library has papers, and the number of active people."""

    papers: bool
    people: int


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
    team_overview: TeamOverview


def get_home(tx: Read, me: CurrentUser) -> Home:
    """Return what is due for me, and what the team did this week."""
    permissions.require(me, "see")
    reading = list_reading(tx, me, me.id, limit=MOST_READ)
    queue = list_queue(tx, me, me.id, limit=MOST_QUEUED)
    open_assignments = AssignmentFilter(person=me.id, which="open")
    return Home(
        counts=count_mine(tx, me),
        reading=reading,
        queue=queue,
        newest_papers=()
        if reading or queue
        else list_papers(tx, me, PaperFilter(), PageRequest(limit=MOST_FRESH)).items,
        assigned=list_assignments(tx, me, open_assignments, PageRequest(limit=MOST_ASSIGNED)).items,
        notifications=list_notifications(tx, me, NotificationFilter(), PageRequest(limit=MOST_NOTICES)).items,
        meeting=_find_next_meeting(tx, me),
        questions=list_questions(tx, me, QuestionFilter(mine=True), PageRequest(limit=MOST_ASKED)).items,
        drafts=list_drafts(tx, me, limit=MOST_DRAFTS),
        recent_events=list_recent_events(tx, me, since=now() - RECENT_PERIOD, limit=MOST_EVENTS),
        attention_counts=count_needs_attention(tx),
        team_overview=TeamOverview(*tx.execute(_AROUND).one()),
    )


_AROUND = sa.select(
    sa.exists().where(is_present(Paper)),
    sa.select(sa.func.count()).select_from(Person).where(col(Person.disabled_at).is_(None)).scalar_subquery(),
)


def _find_next_meeting(tx: Read, me: CurrentUser) -> UpcomingMeeting | None:
    row = find_next(tx, me)
    if row is None:
        return None
    items = find_agenda_items(tx, [row.id]).get(row.id, [])
    papers = [item.paper_id for item in items if item.paper_id]
    return UpcomingMeeting(row, items, find_reader_progress(tx, me, papers, {}))
