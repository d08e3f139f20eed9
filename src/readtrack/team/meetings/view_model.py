"""View model of a meeting with its agenda and reading progress, for pages, API and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings import handout, ical
from readtrack.team.meetings.ical import CalendarEvent
from readtrack.team.meetings.queries.agendas import ItemRow, ReaderProgress, find_agenda_items, find_reader_progress
from readtrack.team.meetings.queries.candidates import list_candidate_series
from readtrack.team.meetings.queries.meetings import (
    MeetingDetail,
    MeetingRow,
    find_meetings,
    get_meeting,
    list_for_calendar,
    list_paper_meetings,
    list_single_meetings,
)
from readtrack.team.meetings.queries.series import find_names, get_series, list_open_series

MAX_AGENDA_CHARS = 2_000  # characters of an agenda in a calendar


@dataclass(frozen=True)
class MeetingView:
    """A meeting, its agenda, and by paper the reading progress of people."""

    meeting: MeetingDetail
    items: Sequence[ItemRow]
    progress: Mapping[int, Sequence[ReaderProgress]]


def get_meeting_view(tx: Read, me: CurrentUser, meeting_id: int) -> MeetingView:
    """Return a meeting with its agenda and progress. Raise NotFound."""
    meeting = get_meeting(tx, me, meeting_id)
    items = find_agenda_items(tx, [meeting_id]).get(meeting_id, [])
    papers = [item.paper_id for item in items if item.paper_id]
    return MeetingView(
        meeting, items, find_reader_progress(tx, me, papers, _find_attendees(tx, me, meeting.row, items))
    )


def find_meeting_views(tx: Read, me: CurrentUser, meeting_ids: Sequence[int]) -> dict[int, MeetingView]:
    """Return meetings with their agendas by id, without progress; missing ones are left out."""
    items = find_agenda_items(tx, meeting_ids)
    meetings = find_meetings(tx, me, meeting_ids)
    return {number: MeetingView(meeting, items.get(number, []), {}) for number, meeting in meetings.items()}


def render_meeting_calendar(tx: Read, me: CurrentUser, meeting_id: int, *, base_url: str) -> str:
    """Render one meeting as a calendar. Raise NotFound."""
    row = get_meeting(tx, me, meeting_id).row
    return ical.render_calendar(
        [_build_calendar_event(row, find_agenda_items(tx, [row.id]).get(row.id, []), base_url)], name=row.title
    )


def render_team_calendar(tx: Read, *, base_url: str) -> str:
    """Render all meetings as a calendar for subscription. The result is the same for every user."""
    rows = list_for_calendar(tx)
    items = find_agenda_items(tx, [row.id for row in rows])
    return ical.render_calendar(
        [_build_calendar_event(row, items.get(row.id, []), base_url) for row in rows], name="Meetings"
    )


def build_paper_meetings(tx: Read, paper_id: int) -> dict[str, Any]:
    """Return what a paper's page shows of meetings."""
    return {
        "items": list_paper_meetings(tx, paper_id),
        "candidate_of": list_candidate_series(tx, paper_id),
        "series": list_open_series(tx),
        "single": list_single_meetings(tx, paper_id),
    }


def _build_calendar_event(row: MeetingRow, items: Sequence[ItemRow], base_url: str) -> CalendarEvent:
    presenter_line = f"Presented by {row.presenter}\n" if row.presenter else ""
    return CalendarEvent(
        number=row.id,
        host=urlsplit(base_url).hostname or "readtrack",
        sequence=row.sequence,
        title=row.title,
        starts_at=row.starts_at,
        minutes=row.minutes,
        location=row.location,
        state=row.state,
        text=(presenter_line + handout.render_plain_text(items, base_url))[:MAX_AGENDA_CHARS],
        url=f"{base_url}/meetings/{row.id}",
        changed_at=row.updated_at,
    )


def _find_attendees(tx: Read, me: CurrentUser, row: MeetingRow, items: Sequence[ItemRow]) -> dict[int, str]:
    """Return the names of the expected people: the rotation and the presenters."""
    presenter_order = get_series(tx, me, row.series_id).presenter_order if row.series_id else ()
    presenters = [row.presenter_id, *(item.presenter_id for item in items)]
    return find_names(tx, [*presenter_order, *(person for person in presenters if person)])
