"""API endpoints for the agenda of a meeting."""

from typing import Any, Literal

from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.schemas import StrictModel
from readtrack.team.meetings.commands import agendas as commands
from readtrack.team.meetings.queries.agendas import get_item
from readtrack.team.meetings.schemas import AgendaItemCreate, AgendaItemUpdate
from readtrack.team.meetings.view_model import get_meeting_view
from readtrack.web.api.meetings.schemas import AgendaItemRead, agenda_item_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse
from readtrack.web.routing import api_router

router = api_router("meetings")
AGENDA = "/meetings/{meeting_id:int}/agenda"
ITEM = f"{AGENDA}/{{item_id:int}}"


class AgendaItemMove(StrictModel):
    """The direction of the move."""

    where: Literal["up", "down"]


@router.post(AGENDA, responses={201: {"model": AgendaItemRead}}, openapi_extra=request_body_schema(AgendaItemCreate))
def create_agenda_item(meeting_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a paper or a question to the end of an agenda.

    Responds 409 if it is already there.
    """
    item = commands.add_item(tx, me, meeting_id, validate_input(AgendaItemCreate, body))
    headers = {"Location": f"/api/v1/meetings/{meeting_id}"}
    return once.answer(_get_item_json(tx, me, meeting_id, item.id or 0), headers=headers)


@router.patch(ITEM, responses={200: {"model": AgendaItemRead}}, openapi_extra=request_body_schema(AgendaItemUpdate))
def update_agenda_item(meeting_id: int, item_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update an agenda item.

    Only the given fields change (JSON merge patch).
    """
    permissions.require(me, "schedule")
    item = get_item(tx, meeting_id, item_id)
    now = {"presenter": item.presenter_id, "minutes": item.minutes, "note": item.note, "state": item.state}
    commands.edit_item(tx, me, meeting_id, item_id, edit=validate_input(AgendaItemUpdate, apply_merge_patch(now, body)))
    return JsonResponse(_get_item_json(tx, me, meeting_id, item_id))


@router.post(f"{ITEM}/move", status_code=204, openapi_extra=request_body_schema(AgendaItemMove))
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
