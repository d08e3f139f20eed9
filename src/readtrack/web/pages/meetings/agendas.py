"""Forms for the agenda on a meeting's page."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.library.relations.links import get_paper_by_text
from readtrack.team.meetings.commands import agendas as commands
from readtrack.team.meetings.queries.agendas import get_item
from readtrack.team.meetings.schemas import AgendaItemCreate, AgendaItemUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.pages.meetings.meeting_page import render_meeting
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()
AGENDA = "/meetings/{meeting_id:int}/agenda"
ITEM = f"{AGENDA}/{{item_id:int}}"


@router.post(AGENDA)
def add(request: Request, meeting_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add the named paper or the chosen question to the agenda."""
    try:
        commands.add_item(tx, me, meeting_id, _agenda_item_input(tx, fields))
    except (Invalid, Conflict) as error:  # raised before anything is written
        typed = fields.get("paper")
        return render_meeting(request, me, tx, meeting_id, typed=typed, problem=error.message, status=error.status)
    return _redirect_to_agenda(request, meeting_id, _("It is on the agenda."))


@router.post(ITEM)
def edit(request: Request, meeting_id: int, item_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Update presenter, minutes, note and state of an item; fields missing from the form are kept."""
    permissions.require(me, "schedule")
    item = get_item(tx, meeting_id, item_id)
    current = {
        "presenter": item.presenter_id or "",
        "minutes": item.minutes or "",
        "note": item.note,
        "state": item.state,
    }
    form_result = validate_form(AgendaItemUpdate, {**current, **fields.values})
    if form_result.value is None:
        problem = _("{list} Nothing was changed: write it anew.").format(list=" ".join(form_result.errors.values()))
        return render_meeting(request, me, tx, meeting_id, problem=problem, status=422)
    commands.edit_item(tx, me, meeting_id, item_id, edit=form_result.value)
    return _redirect_to_agenda(request, meeting_id, _("Saved."))


@router.post(f"{ITEM}/move")
def move(request: Request, meeting_id: int, item_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move an item up or down."""
    commands.move_item(tx, me, meeting_id, item_id, direction="up" if fields.get("where") == "up" else "down")
    return _redirect_to_agenda(request, meeting_id)


@router.post(f"{ITEM}/remove")
def remove(request: Request, meeting_id: int, item_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove an item from the agenda."""
    undo_id = commands.remove_item(tx, me, meeting_id, item_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, f"/meetings/{meeting_id}#agenda", _("It is off the agenda."), undo=undo)


def _agenda_item_input(tx: Read, fields: Fields) -> AgendaItemCreate:
    if question := parse_int(fields.get("question")):
        return AgendaItemCreate(question=question)
    return AgendaItemCreate(paper=get_paper_by_text(tx, fields.get("paper")))


def _redirect_to_agenda(request: Request, meeting_id: int, message: str = "") -> Response:
    return redirect_with_flash(request, f"/meetings/{meeting_id}#agenda", message)
