"""Meetings as JSON: lists, one of them, planning, moving, calling off, and what was written about it."""

from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.team.meetings import handout, ical
from readtrack.team.meetings.commands import delete as commands_delete
from readtrack.team.meetings.commands import minutes, schedule
from readtrack.team.meetings.queries import meetings as queries
from readtrack.team.meetings.queries.meetings import MeetingFilter
from readtrack.team.meetings.schemas import MeetingAdd, MeetingEdit, NotesEdit
from readtrack.team.meetings.view_model import Shown, as_calendar, get_shown
from readtrack.web.api.meetings.schemas import MeetingDetailOut, MeetingList, meeting_out, shown_out
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import patched, valid
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import Body, JsonAnswer, OnceOnly, answer_for, described_body, etag, version_wanted
from readtrack.web.routing import api_router

router = api_router("meetings")
ONE = "/meetings/{meeting_id:int}"


class ListQuery(BaseModel):
    """Which meetings, and which part of the list."""

    model_config = ConfigDict(extra="forbid")
    when: Literal["upcoming", "past"] | None = None
    series: int | None = None
    state: Literal["planned", "held", "cancelled"] | None = None
    limit: int | None = None
    after: str | None = None


class StateSet(BaseModel):
    """What became of a meeting."""

    model_config = ConfigDict(extra="forbid")
    state: Literal["planned", "held", "cancelled"]


@router.get("/meetings", responses={200: {"model": MeetingList}})
def list_meetings(request: Request, wanted: Annotated[ListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Meetings by their time; past ones the latest first."""
    question = MeetingFilter(wanted.when, wanted.series, wanted.state)
    cut = cut_for(request, question.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_meetings(tx, me, question, cut)
    cursor = cursor_for(request, question.question, page)
    answer = answer_for(request, {"items": [meeting_out(row) for row in page.items], "next": cursor})
    return linked(request, answer, cursor)


@router.post("/meetings", responses={201: {"model": MeetingDetailOut}}, openapi_extra=described_body(MeetingAdd))
def create(me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Plans a meeting on a day of one's choice."""
    if replayed := once.replay(body):
        return replayed
    meeting = schedule.plan_meeting(tx, me, valid(MeetingAdd, body))
    shown = get_shown(tx, me, meeting.id or 0)
    there = {"Location": f"/api/v1/meetings/{meeting.id}", "ETag": _tag(shown)}
    return once.answer(body, shown_out(shown), headers=there)


@router.get(ONE, responses={200: {"model": MeetingDetailOut}})
def show(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """One meeting with its agenda, its notes, and who has read what."""
    shown = get_shown(tx, me, meeting_id)
    return answer_for(request, shown_out(shown), tag=_tag(shown))


@router.patch(ONE, responses={200: {"model": MeetingDetailOut}}, openapi_extra=described_body(MeetingEdit))
def edit(request: Request, meeting_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Changes the fields that are given (JSON merge patch): when, where, by whom."""
    permissions.require(me, "schedule")
    row = queries.get_meeting(tx, me, meeting_id).row
    version = version_wanted(request, meeting_id)
    now = {"title": row.title, "date": row.date.isoformat(), "at": row.at, "minutes": row.minutes}
    now |= {"time_zone": row.time_zone, "place": row.place, "presenter": row.presenter_id}
    schedule.edit_meeting(tx, me, meeting_id, valid(MeetingEdit, patched(now, body)), version=version)
    return _answered(tx, me, meeting_id)


@router.delete(ONE, status_code=204)
def delete(meeting_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes away what was planned by mistake; 409 when anything was noted of it, and then PUT its state."""
    commands_delete.delete_meeting(tx, me, meeting_id)
    return Response(status_code=204)


@router.put(f"{ONE}/state", responses={200: {"model": MeetingDetailOut}}, openapi_extra=described_body(StateSet))
def set_state(meeting_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Says that it was held, which makes what is still planned discussed; calls it off; or plans it again."""
    schedule.set_state(tx, me, meeting_id, valid(StateSet, body).state)
    return _answered(tx, me, meeting_id)


@router.put(f"{ONE}/notes", responses={200: {"model": MeetingDetailOut}}, openapi_extra=described_body(NotesEdit))
def edit_notes(request: Request, meeting_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Saves notes and decisions, both whole, with If-Match. 412 carries the newer ones."""
    permissions.require(me, "discuss")
    queries.get_meeting(tx, me, meeting_id)
    version = version_wanted(request, meeting_id)
    minutes.edit_notes(tx, me, meeting_id, valid(NotesEdit, body), version=version)
    return _answered(tx, me, meeting_id)


@router.get(f"{ONE}.ics")
def show_calendar(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """One meeting for a calendar (RFC 5545)."""
    text = as_calendar(tx, me, meeting_id, site=request.app.state.settings.base_url)
    name = {"Content-Disposition": f'attachment; filename="meeting-{meeting_id}.ics"'}
    return Response(text, headers=name, media_type=ical.MEDIA_TYPE)


@router.get(f"{ONE}.md")
def show_markdown(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """One meeting with its agenda and notes as Markdown."""
    shown = get_shown(tx, me, meeting_id)
    text = handout.as_markdown(shown.meeting, shown.items, site=request.app.state.settings.base_url)
    return Response(text, media_type="text/markdown; charset=utf-8")


def _answered(tx: Read, me: Visitor, meeting_id: int) -> Response:
    shown = get_shown(tx, me, meeting_id)
    return JsonAnswer(shown_out(shown), headers={"ETag": _tag(shown), "Cache-Control": "private, no-cache"})


def _tag(shown: Shown) -> str:
    return etag(shown.meeting.row.id, shown.meeting.row.version)
