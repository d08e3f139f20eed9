"""Pages for meetings: list, plan, show, edit, cancel, delete; and the forms for the agenda on a meeting's page."""

from collections.abc import Collection, Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import clock, permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid, StaleVersion
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.relations.links import AmbiguousPaper, get_paper_by_text
from readtrack.team.meetings.commands import agendas as commands
from readtrack.team.meetings.commands import delete as commands_delete
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.queries import meetings as queries
from readtrack.team.meetings.queries.agendas import find_agenda_items, get_item, list_open_questions, list_waiting_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import MeetingFilter, MeetingRow, has_outcome
from readtrack.team.meetings.queries.series import (
    find_meeting_suggestions,
    list_open_series,
    list_presenters,
    list_series,
)
from readtrack.team.meetings.schemas import AgendaItemCreate, AgendaItemUpdate, MeetingCreate, MeetingUpdate
from readtrack.team.meetings.view_model import get_meeting_view
from readtrack.team.questions.queries import QuestionFilter, QuestionRow, list_questions
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

MAX_SHOWN = 8  # candidates and questions shown beside a meeting
PAGE_SIZE = 20
STATE_MESSAGES = {
    "held": N_("Marked as held"),
    "cancelled": N_("Meeting canceled"),
    "planned": N_("Marked as planned"),
}
AGENDA = "/meetings/{meeting_id:int}/agenda"
ITEM = f"{AGENDA}/{{item_id:int}}"


def render_meeting(
    request: Request,
    me: CurrentUser,
    tx: Read,
    meeting_id: int,
    *,
    typed: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    """Render the page; `typed` and `problem`: rejected input for the agenda, and the reason."""
    view = get_meeting_view(tx, me, meeting_id)
    row, papers = view.meeting.row, [item.paper_id for item in view.items if item.paper_id]
    presenters = [item.presenter_id for item in view.items]
    can_add = permissions.has_permission(me, "schedule") and row.state == "planned"
    agenda_keys = {(item.paper_id, item.question_id) for item in view.items}
    waiting_items = list_waiting_items(tx, row.series_id) if can_add and row.series_id else []
    candidates = list_candidates(tx, me, row.series_id)[:MAX_SHOWN] if row.series_id and row.state == "planned" else []
    context: dict[str, Any] = {
        "people": list_presenters(tx, chosen=presenters) if permissions.has_permission(me, "schedule") else [],
        "questions": [
            question for question in list_open_questions(tx, papers) if (None, question[0]) not in agenda_keys
        ]
        if can_add
        else [],
        "open_questions": _list_open_questions(tx, me, row, agenda_keys),
        "waiting": [item for item in waiting_items if (item.paper_id, item.question_id) not in agenda_keys],
        "candidates": candidates,
        "mistaken": permissions.has_permission(me, "schedule") and not has_outcome(tx, meeting_id),
        "for_me": clock.to_local(row.starts_at, me.time_zone) if me.time_zone not in {"", row.time_zone} else None,
    }
    meeting_context = {"meeting": view.meeting, "row": row, "items": view.items, "progress": view.progress}
    return render(request, "meetings/show.html", status, typed=typed, problem=problem, **meeting_context, **context)


def _list_open_questions(
    tx: Read, me: CurrentUser, row: MeetingRow, agenda_keys: Collection[tuple[int | None, int | None]]
) -> list[QuestionRow]:
    """Return open questions about the papers of an upcoming meeting that are not on its agenda."""
    if row.state != "planned":
        return []
    questions = list_questions(tx, me, QuestionFilter(meeting=row.id), PageRequest(MAX_SHOWN)).items
    return [question for question in questions if (None, question.id) not in agenda_keys]


router = page_router()


@router.get("/meetings")
def list_page(request: Request, me: Me, tx: ReadTx, past: str = "", after: str = "") -> Response:
    """Show upcoming meetings with their series; with `?past=1`, past ones."""
    meeting_filter = MeetingFilter("past" if past else "upcoming")
    page = queries.list_meetings(
        tx, me, meeting_filter, read_page_request(request, meeting_filter.question, limit=PAGE_SIZE, after=after)
    )
    series = list_series(tx, me, PageRequest(50), ended=None).items if not past else []
    context: dict[str, Any] = {
        "meetings": page.items,
        "items": find_agenda_items(tx, [row.id for row in page.items]),
        "next": get_next_cursor(request, meeting_filter.question, page),
        "series": series,
        "meeting_suggestions": find_meeting_suggestions(tx, series),
        "zone": me.time_zone or "UTC",
    }
    return render(request, "meetings/list.html", past=past, after=after, **context)


@router.get("/meetings/new")
def new_page(request: Request, me: Me, tx: ReadTx, series: str = "") -> Response:
    """Show the form for a new meeting."""
    permissions.require(me, "schedule")
    typed = {"series": series, "time_zone": me.time_zone or "UTC", "at": "15:00", "minutes": "60"}
    return _form(request, tx, typed=typed, errors={})


@router.post("/meetings")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Plan a meeting; show the form again (422) on errors."""
    form_result = validate_form(MeetingCreate, fields.values)
    if form_result.value is None:
        return _form(request, tx, typed=form_result.raw_values, errors=form_result.errors, status=422)
    meeting = schedule.plan_meeting(tx, me, form_result.value)
    return redirect_with_flash(request, f"/meetings/{meeting.id}", _("Meeting created"))


@router.get("/meetings/{meeting_id:int}")
def show_page(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """Show a meeting: agenda, readers, minutes, and suggestions for the agenda."""
    return render_meeting(request, me, tx, meeting_id)


@router.get("/meetings/{meeting_id:int}/edit")
def edit_page(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    permissions.require(me, "schedule")
    row = queries.get_meeting(tx, me, meeting_id).row
    return _form(request, tx, typed=_meeting_fields(row), errors={}, meeting=row)


@router.post("/meetings/{meeting_id:int}/edit")
def edit(request: Request, meeting_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form; show it again with the current values (409) if the meeting was changed meanwhile."""
    row = queries.get_meeting(tx, me, meeting_id).row
    form_result = validate_form(MeetingUpdate, fields.values)
    if form_result.value is None:
        return _form(request, tx, typed=form_result.raw_values, errors=form_result.errors, meeting=row, status=422)
    try:
        schedule.edit_meeting(tx, me, meeting_id, form_result.value, version=parse_int(fields.get("version")))
    except StaleVersion:
        return _form(request, tx, typed=form_result.raw_values, errors={}, meeting=row, status=409)
    return redirect_with_flash(request, f"/meetings/{meeting_id}", _("Saved"))


@router.post("/meetings/{meeting_id:int}/state")
def set_state(request: Request, meeting_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the state: held, cancelled or planned."""
    state = fields.get("state")
    state = state if state in STATE_MESSAGES else "planned"
    schedule.set_state(tx, me, meeting_id, state)
    undo = (_("Undo"), f"/meetings/{meeting_id}/state") if state != "planned" else ("", "")
    return redirect_with_flash(request, f"/meetings/{meeting_id}", _(STATE_MESSAGES[state]), undo=undo)


@router.post("/meetings/{meeting_id:int}/delete")
def delete(request: Request, meeting_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a meeting planned by mistake."""
    undo_id = commands_delete.delete_meeting(tx, me, meeting_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore")
    message = _("Meeting deleted")
    return redirect_with_flash(request, "/meetings", message, undo=undo)


def _form(
    request: Request,
    tx: Read,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    meeting: MeetingRow | None = None,
    status: int = 200,
) -> Response:
    people = list_presenters(tx, chosen=[meeting.presenter_id] if meeting else [])
    context: dict[str, Any] = {"people": people, "series": list_open_series(tx), "zones": clock.zones()}
    return render(
        request,
        "meetings/edit.html",
        status,
        typed=typed,
        errors=errors,
        meeting=meeting,
        conflict=status == 409,
        **context,
    )


def _meeting_fields(row: MeetingRow) -> dict[str, str]:
    fields = {"title": row.title, "date": row.date.isoformat(), "at": row.local_time, "minutes": str(row.minutes)}
    presenter = str(row.presenter_id or "")
    other_fields = {
        "time_zone": row.time_zone,
        "location": row.location,
        "presenter": presenter,
        "version": str(row.version),
    }
    return {**fields, **other_fields}


@router.post(AGENDA)
def add_agenda_item(request: Request, meeting_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add the named paper or the chosen question to the agenda."""
    agenda_path = f"/meetings/{meeting_id}#agenda"
    try:
        commands.add_item(tx, me, meeting_id, _agenda_item_input(tx, me, fields))
    except AmbiguousPaper as error:
        return render_paper_choice(request, fields, error, back=agenda_path)
    except (Invalid, Conflict) as error:  # raised before anything is written
        typed = fields.get("paper")
        return render_meeting(request, me, tx, meeting_id, typed=typed, problem=error.message, status=error.status)
    return redirect_with_flash(request, safe_next(fields.get("next"), agenda_path), _("Added to agenda"))


@router.post(ITEM)
def edit_agenda_item(request: Request, meeting_id: int, item_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
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
        problem = " ".join(form_result.errors.values())
        return render_meeting(request, me, tx, meeting_id, problem=problem, status=422)
    commands.edit_item(tx, me, meeting_id, item_id, edit=form_result.value)
    return _redirect_to_agenda(request, meeting_id, _("Saved"))


@router.post(f"{ITEM}/move")
def move_agenda_item(request: Request, meeting_id: int, item_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move an item up or down."""
    commands.move_item(tx, me, meeting_id, item_id, direction="up" if fields.get("where") == "up" else "down")
    return _redirect_to_agenda(request, meeting_id)


@router.post(f"{ITEM}/remove")
def remove_agenda_item(request: Request, meeting_id: int, item_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove an item from the agenda."""
    undo_id = commands.remove_item(tx, me, meeting_id, item_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, f"/meetings/{meeting_id}#agenda", _("Removed from agenda"), undo=undo)


def _agenda_item_input(tx: Read, me: CurrentUser, fields: Fields) -> AgendaItemCreate:
    if question := parse_int(fields.get("question")):
        return AgendaItemCreate(question=question)
    return AgendaItemCreate(paper=get_paper_by_text(tx, me, fields.get("paper")))


def _redirect_to_agenda(request: Request, meeting_id: int, message: str = "") -> Response:
    return redirect_with_flash(request, f"/meetings/{meeting_id}#agenda", message)
