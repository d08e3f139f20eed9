"""Editor for notes and decisions of a meeting, with conflict resolution."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.errors import StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.diff import diff_texts
from readtrack.markdown import MAX_BYTES
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.queries.meetings import MeetingDetail, get_meeting
from readtrack.team.meetings.schemas import MeetingNotesUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, parse_int, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
ADDRESS = "/meetings/{meeting_id:int}/notes"
SEPARATOR = "\n\n---\n\n"


@router.get(ADDRESS)
def edit_page(request: Request, meeting_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the editor."""
    permissions.require(me, "discuss")
    meeting = get_meeting(tx, me, meeting_id)
    typed = {"notes": meeting.notes, "decisions": meeting.decisions, "version": str(meeting.row.version)}
    return _editor(request, meeting, typed=typed)


@router.post(ADDRESS)
def edit(request: Request, meeting_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save both texts; show both versions (409) if they were changed meanwhile."""
    meeting = get_meeting(tx, me, meeting_id)
    form_result = validate_form(MeetingNotesUpdate, fields.values)
    if form_result.value is None:
        return _editor(request, meeting, typed=form_result.raw_values, errors=form_result.errors, status=422)
    try:
        schedule.edit_notes(tx, me, meeting_id, form_result.value, version=parse_int(fields.get("version")))
    except StaleVersion:
        return _conflict(request, meeting, form_result.value)
    return redirect_with_flash(request, f"/meetings/{meeting_id}#notes", _("Saved"))


def _editor(
    request: Request,
    meeting: MeetingDetail,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {"row": meeting.row, "typed": typed, "errors": errors or {}}
    return render(request, "meetings/notes.html", status, preview=typed.get("notes", ""), **context)


def _conflict(request: Request, current: MeetingDetail, edit: MeetingNotesUpdate) -> Response:
    """Show both versions of both texts, with the three ways to resolve the conflict."""
    pairs = {
        "notes": (_("Meeting notes"), current.notes, edit.notes),
        "decisions": (_("Decisions"), current.decisions, edit.decisions),
    }
    changes = [(label, diff_texts(before, after)) for label, before, after in pairs.values() if before or after]
    joined = {name: _join_texts(before, after) for name, (_label, before, after) in pairs.items()}
    is_short_enough = all(len(text.encode()) <= MAX_BYTES for text in joined.values())
    context: dict[str, Any] = {
        "row": current.row,
        "mine": edit,
        "both": joined if is_short_enough else {},
        "changes": changes,
    }
    return render(request, "meetings/conflict.html", 409, **context)


def _join_texts(current: str, own: str) -> str:
    return current if current == own else SEPARATOR.join(text for text in (current, own) if text)
