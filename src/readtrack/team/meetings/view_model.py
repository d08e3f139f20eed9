"""One meeting with its agenda and who has read what: gathered once, for pages, API and files alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.team.meetings import handout, ical
from readtrack.team.meetings.ical import Entry
from readtrack.team.meetings.queries.agendas import ItemRow, Progress, items_of, progress_of
from readtrack.team.meetings.queries.candidates import candidates_of
from readtrack.team.meetings.queries.meetings import (
    MeetingDetail,
    MeetingRow,
    get_meeting,
    list_for_calendar,
    meetings_of,
)
from readtrack.team.meetings.queries.series import get_series, names_of, open_series

MOST_TITLES = 2_000  # characters of an agenda in a calendar


@dataclass(frozen=True)
class Shown:
    """A meeting, what it is about, and by paper how far everybody is."""

    meeting: MeetingDetail
    items: Sequence[ItemRow]
    progress: Mapping[int, Sequence[Progress]]


def get_shown(tx: Read, me: Visitor, meeting_id: int) -> Shown:
    """One meeting, whole. Raises NotFound."""
    meeting = get_meeting(tx, me, meeting_id)
    items = items_of(tx, [meeting_id]).get(meeting_id, [])
    papers = [item.paper_id for item in items if item.paper_id]
    return Shown(meeting, items, progress_of(tx, me, papers, _expected(tx, me, meeting.row, items)))


def as_calendar(tx: Read, me: Visitor, meeting_id: int, *, site: str) -> str:
    """One meeting for a calendar. Raises NotFound."""
    row = get_meeting(tx, me, meeting_id).row
    return ical.written([_entry(row, items_of(tx, [row.id]).get(row.id, []), site)], name=row.title)


def whole_calendar(tx: Read, *, site: str) -> str:
    """All meetings for a calendar that looks again and again. Nothing in it depends on who asks."""
    rows = list_for_calendar(tx)
    items = items_of(tx, [row.id for row in rows])
    return ical.written([_entry(row, items.get(row.id, []), site) for row in rows], name="Meetings")


def meetings_of_paper(tx: Read, paper_id: int) -> dict[str, Any]:
    """What the page of a paper says of meetings: where it stands, what it is proposed for, and might be."""
    return {
        "items": meetings_of(tx, paper_id),
        "candidate_of": candidates_of(tx, paper_id),
        "series": open_series(tx),
    }


def _entry(row: MeetingRow, items: Sequence[ItemRow], site: str) -> Entry:
    presented = f"Presented by {row.presenter}\n" if row.presenter else ""
    return Entry(
        number=row.id,
        host=urlsplit(site).hostname or "readtrack",
        sequence=row.sequence,
        title=row.title,
        starts_at=row.starts_at,
        minutes=row.minutes,
        place=row.place,
        state=row.state,
        text=(presented + handout.in_words(items, site))[:MOST_TITLES],
        url=f"{site}/meetings/{row.id}",
        changed_at=row.updated_at,
    )


def _expected(tx: Read, me: Visitor, row: MeetingRow, items: Sequence[ItemRow]) -> dict[int, str]:
    """Who is to come: those of the rota, and those who present."""
    rota = get_series(tx, me, row.series_id).rota if row.series_id else ()
    presenters = [row.presenter_id, *(item.presenter_id for item in items)]
    return names_of(tx, [*rota, *(person for person in presenters if person)])
