"""Schemas of meetings, series, agendas and candidates."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from readtrack.team.meetings.queries.agendas import ItemRow, ReaderProgress
from readtrack.team.meetings.queries.candidates import CandidateRow
from readtrack.team.meetings.queries.meetings import MeetingDetail, MeetingRow
from readtrack.team.meetings.queries.series import MeetingSuggestion, SeriesRow
from readtrack.team.meetings.view_model import MeetingView
from readtrack.web.responses.json import ResponseModel


class MeetingRead(ResponseModel):
    """A meeting.

    `date` and `at`: local time in `time_zone`; `presenter`: id of the presenting person.
    """

    id: int
    title: str
    series: int | None
    starts_at: dt.datetime
    date: dt.date
    at: str
    time_zone: str
    minutes: int
    location: str
    state: str
    presenter: int | None
    presenter_name: str | None
    items: int
    version: int
    updated_at: dt.datetime


class AgendaProgress(ResponseModel):
    """A person's reading status of a paper, as far as visible to you; blank if it is not on their list."""

    person: int
    name: str
    status: str


class AgendaItemCopy(ResponseModel):
    """An agenda item: a paper or a question."""

    id: int
    paper: int | None
    question: int | None
    presenter: int | None
    presenter_name: str | None
    minutes: int | None
    note: str
    state: str


class AgendaItemRead(AgendaItemCopy):
    """An agenda item: a paper or a question, with everyone's reading progress."""

    title: str
    people: list[AgendaProgress]


class MeetingDetailRead(MeetingRead):
    """One meeting, whole."""

    agenda: list[AgendaItemRead]
    notes: str
    decisions: str


class MeetingList(ResponseModel):
    """A page of meetings; `next` is the cursor of the next page."""

    items: list[MeetingRead]
    next: str | None


class NextMeetingRead(ResponseModel):
    """The next meeting of a series.

    `date`: null without a rhythm; `presenters`: in order of their turn.
    """

    date: dt.date | None
    presenters: list[int]


class SeriesRead(ResponseModel):
    """A series of meetings."""

    id: int
    name: str
    interval_weeks: int
    weekday: int
    start_time: str
    minutes: int
    time_zone: str
    starts_on: dt.date | None
    location: str
    presenter_order: list[int]
    version: int
    created_at: dt.datetime
    ended_at: dt.datetime | None
    next: NextMeetingRead


class SeriesList(ResponseModel):
    """A page of series; `next` is the cursor of the next page."""

    items: list[SeriesRead]
    next: str | None


class CandidateRead(ResponseModel):
    """A paper proposed for a series.

    `mine`: my vote; `discussed_on`: last day a meeting discussed it.
    """

    id: int
    series: int
    paper: int
    title: str
    state: str
    reason: str
    proposed_by: int | None
    proposer: str | None
    proposed_at: dt.datetime
    in_favour: list[str]
    against: list[str]
    score: int
    mine: int
    readers: list[str]
    discussed_on: dt.date | None


class CandidateList(ResponseModel):
    """The candidates of a series, those with the most votes first."""

    items: list[CandidateRead]
    next: str | None


def meeting_json(row: MeetingRow) -> dict[str, Any]:
    """Return a meeting as a list item."""
    schedule = {"date": row.date, "at": row.local_time, "series": row.series_id}
    return _pick_fields(
        MeetingRead, {**row._asdict(), **schedule, "presenter": row.presenter_id, "presenter_name": row.presenter}
    )


def meeting_detail_json(
    meeting: MeetingDetail, items: Sequence[ItemRow], progress: Mapping[int, Sequence[ReaderProgress]]
) -> dict[str, Any]:
    """Return a meeting with its agenda and minutes as JSON."""
    agenda = [agenda_item_json(item, progress.get(item.paper_id or 0, ())) for item in items]
    return {**meeting_json(meeting.row), "agenda": agenda, "notes": meeting.notes, "decisions": meeting.decisions}


def meeting_view_json(view: MeetingView) -> dict[str, Any]:
    """Return a meeting view as JSON."""
    return meeting_detail_json(view.meeting, view.items, view.progress)


def agenda_item_json(item: ItemRow, progress: Sequence[ReaderProgress]) -> dict[str, Any]:
    """Return an agenda item as JSON."""
    people = [{"person": reader.person_id, "name": reader.name, "status": reader.status} for reader in progress]
    labels = {"paper": item.paper_id, "question": item.question_id, "title": item.display_title, "people": people}
    return _pick_fields(
        AgendaItemRead, {**item._asdict(), **labels, "presenter": item.presenter_id, "presenter_name": item.presenter}
    )


def series_json(row: SeriesRow, suggestion: MeetingSuggestion) -> dict[str, Any]:
    """Return a series with its next meeting as JSON."""
    next_meeting = {"date": suggestion.day, "presenters": [person for person, _ in suggestion.presenters]}
    return {**row._asdict(), "next": next_meeting}


def candidate_json(row: CandidateRow) -> dict[str, Any]:
    """Return a candidate as JSON."""
    labels = {"series": row.series_id, "paper": row.paper_id, "title": row.display_title, "score": row.score}
    return _pick_fields(CandidateRead, {**row._asdict(), **labels})


def _pick_fields(model: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in model.model_fields}
