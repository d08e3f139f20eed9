"""API endpoints for meetings and their agendas."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.team.meetings import handout, ical
from readtrack.team.meetings.commands import agendas as commands
from readtrack.team.meetings.commands import delete as commands_delete
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.queries import meetings as queries
from readtrack.team.meetings.queries.agendas import get_item
from readtrack.team.meetings.queries.meetings import MeetingFilter
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    AgendaItemUpdate,
    MeetingCreate,
    MeetingNotesUpdate,
    MeetingUpdate,
)
from readtrack.team.meetings.view_model import MeetingView, get_meeting_view, render_meeting_calendar
from readtrack.web.api.meetings.schemas import (
    AgendaItemRead,
    MeetingDetailRead,
    MeetingList,
    agenda_item_json,
    meeting_json,
    meeting_view_json,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import file_response, request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    JsonResponse,
    conditional_response,
    etag,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router

router = api_router("meetings")
MEETING = "/meetings/{meeting_id:int}"
AGENDA = "/meetings/{meeting_id:int}/agenda"
ITEM = f"{AGENDA}/{{item_id:int}}"


class MeetingListQuery(PageQuery):
    """The filter of meetings, with pagination."""

    when: Literal["upcoming", "past"] | None = None
    series: int | None = None
    state: Literal["planned", "held", "cancelled"] | None = None


class MeetingStateUpdate(StrictModel):
    """The new state of a meeting."""

    state: Literal["planned", "held", "cancelled"]


@router.get("/meetings", responses={200: {"model": MeetingList}})
def list_meetings(request: Request, wanted: Annotated[MeetingListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List meetings.

    By their time; past ones newest first.
    """
    meeting_filter = MeetingFilter(wanted.when, wanted.series, wanted.state)
    page_request = read_page_request(request, meeting_filter.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_meetings(tx, me, meeting_filter, page_request)
    return page_response(request, meeting_filter.question, page, [meeting_json(row) for row in page.items])


@router.post(
    "/meetings",
    responses={201: {"model": MeetingDetailRead}},
    openapi_extra=request_body_schema(MeetingCreate, {"title": "Visit", "date": "2030-01-07"}),
)
def create_meeting(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Plan a meeting."""
    meeting = schedule.plan_meeting(tx, me, validate_input(MeetingCreate, body))
    view = get_meeting_view(tx, me, meeting.id or 0)
    headers = {"Location": f"/api/v1/meetings/{meeting.id}", "ETag": _tag(view)}
    return once.answer(meeting_view_json(view), headers=headers)


@router.get(MEETING, responses={200: {"model": MeetingDetailRead}})
def get_meeting(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a meeting.

    With its agenda, its notes, and who has read what.
    """
    view = get_meeting_view(tx, me, meeting_id)
    return conditional_response(request, meeting_view_json(view), tag=_tag(view))


@router.patch(
    MEETING,
    responses={200: {"model": MeetingDetailRead}},
    openapi_extra=request_body_schema(MeetingUpdate, {"location": "Room 3"}, merge_patch=True),
)
def update_meeting(meeting_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a meeting.

    Its time, place or presenter. Only the given fields change (JSON merge patch). Participants are notified of a
    new time.
    """
    permissions.require(me, "schedule")
    row = queries.get_meeting(tx, me, meeting_id).row
    version = parse_if_match(if_match, meeting_id)
    now = {"title": row.title, "date": row.date.isoformat(), "at": row.local_time, "minutes": row.minutes}
    now |= {"time_zone": row.time_zone, "location": row.location, "presenter": row.presenter_id}
    schedule.edit_meeting(
        tx, me, meeting_id, validate_input(MeetingUpdate, apply_merge_patch(now, body)), version=version
    )
    return _meeting_response(tx, me, meeting_id)


@router.delete(MEETING, status_code=204)
def delete_meeting(meeting_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a meeting that was planned by mistake.

    409 if it was held or has notes: set its state instead.
    """
    commands_delete.delete_meeting(tx, me, meeting_id)
    return Response(status_code=204)


@router.put(
    f"{MEETING}/state",
    responses={200: {"model": MeetingDetailRead}},
    openapi_extra=request_body_schema(MeetingStateUpdate, {"state": "held"}),
)
def set_meeting_state(meeting_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Set the state of a meeting.

    Held, which marks planned items as discussed; cancelled; or planned again.
    """
    schedule.set_state(tx, me, meeting_id, validate_input(MeetingStateUpdate, body).state)
    return _meeting_response(tx, me, meeting_id)


@router.put(
    f"{MEETING}/notes",
    responses={200: {"model": MeetingDetailRead}},
    openapi_extra=request_body_schema(MeetingNotesUpdate, {"notes": "Text."}),
)
def update_meeting_notes(meeting_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update the notes and decisions of a meeting.

    Both are replaced; needs If-Match. 412 carries the newer ones.
    """
    permissions.require(me, "discuss")
    queries.get_meeting(tx, me, meeting_id)
    version = parse_if_match(if_match, meeting_id)
    schedule.edit_notes(tx, me, meeting_id, validate_input(MeetingNotesUpdate, body), version=version)
    return _meeting_response(tx, me, meeting_id)


@router.get(f"{MEETING}.ics", responses=file_response(ical.MEDIA_TYPE))
def get_meeting_calendar(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a meeting as iCalendar.

    RFC 5545.
    """
    text = render_meeting_calendar(tx, me, meeting_id, base_url=request.app.state.settings.base_url)
    name = {"Content-Disposition": f'attachment; filename="meeting-{meeting_id}.ics"'}
    return Response(text, headers=name, media_type=ical.MEDIA_TYPE)


@router.get(f"{MEETING}.md", responses=file_response("text/markdown"))
def get_meeting_markdown(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a meeting as Markdown.

    With its agenda and notes.
    """
    view = get_meeting_view(tx, me, meeting_id)
    text = handout.render_markdown(view.meeting, view.items, base_url=request.app.state.settings.base_url)
    return Response(text, media_type="text/markdown; charset=utf-8")


def _meeting_response(tx: Read, me: CurrentUser, meeting_id: int) -> Response:
    view = get_meeting_view(tx, me, meeting_id)
    return JsonResponse(meeting_view_json(view), headers={"ETag": _tag(view), "Cache-Control": "private, no-cache"})


def _tag(view: MeetingView) -> str:
    return etag(view.meeting.row.id, view.meeting.row.version)


class AgendaItemMove(StrictModel):
    """The direction of the move."""

    where: Literal["up", "down"]


@router.post(
    AGENDA,
    responses={201: {"model": AgendaItemRead}},
    openapi_extra=request_body_schema(AgendaItemCreate, {"paper": 1}),
)
def create_agenda_item(meeting_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a paper or a question to the end of an agenda.

    Responds 409 if it is already there.
    """
    item = commands.add_item(tx, me, meeting_id, validate_input(AgendaItemCreate, body))
    headers = {"Location": f"/api/v1/meetings/{meeting_id}"}
    return once.answer(_get_item_json(tx, me, meeting_id, item.id or 0), headers=headers)


@router.patch(
    ITEM,
    responses={200: {"model": AgendaItemRead}},
    openapi_extra=request_body_schema(AgendaItemUpdate, {"minutes": 20}, merge_patch=True),
)
def update_agenda_item(meeting_id: int, item_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update an agenda item.

    Only the given fields change (JSON merge patch).
    """
    permissions.require(me, "schedule")
    item = get_item(tx, meeting_id, item_id)
    now = {"presenter": item.presenter_id, "minutes": item.minutes, "note": item.note, "state": item.state}
    commands.edit_item(tx, me, meeting_id, item_id, edit=validate_input(AgendaItemUpdate, apply_merge_patch(now, body)))
    return JsonResponse(_get_item_json(tx, me, meeting_id, item_id))


@router.post(f"{ITEM}/move", status_code=204, openapi_extra=request_body_schema(AgendaItemMove, {"where": "up"}))
def move_agenda_item(meeting_id: int, item_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Move an agenda item.

    It changes places with the one before or after it.
    """
    commands.move_item(tx, me, meeting_id, item_id, direction=validate_input(AgendaItemMove, body).where)
    return Response(status_code=204)


@router.delete(ITEM, status_code=204)
def remove_agenda_item(meeting_id: int, item_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove an agenda item.

    A candidate with that paper is open again.
    """
    commands.remove_item(tx, me, meeting_id, item_id)
    return Response(status_code=204)


def _get_item_json(tx: Read, me: CurrentUser, meeting_id: int, item_id: int) -> dict[str, Any]:
    view = get_meeting_view(tx, me, meeting_id)
    item = next(item for item in view.items if item.id == item_id)
    return agenda_item_json(item, view.progress.get(item.paper_id or 0, ()))
