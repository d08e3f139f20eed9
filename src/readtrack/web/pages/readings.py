"""Pages for my readings: set status and details, queue, undo."""

from itertools import groupby
from operator import attrgetter
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import gettext as _
from readtrack.library.papers import reading_queue
from readtrack.library.papers.lists import add_team_columns
from readtrack.reading.readings import commands, queries, status_transitions
from readtrack.reading.readings.commands import QueueMove, ReadingUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
# Form fields that are only shown for one status.
SHOWN_IN = {
    "depth": "read",
    "recommendation": "read",
    "finished_on": "read",
    "priority": "to_read",
    "reason": "dropped",
}
PROGRESS = ("progress_unit", "progress_at", "progress_of")


@router.get("/queue")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show my queue below my current readings."""
    page_request = read_page_request(request, reading_queue.QUESTION, after=after)
    page = reading_queue.page_queue(tx, me, page_request)
    current_readings = [] if after else reading_queue.list_current_readings(tx, me)
    papers = {
        row.id: row for row in add_team_columns(tx, me, [line.paper for line in [*current_readings, *page.items]])
    }
    context: dict[str, Any] = {
        "at": current_readings,
        "queue": page.items,
        "groups": [(priority, list(lines)) for priority, lines in groupby(page.items, attrgetter("priority"))],
        "papers": papers,
        "count": reading_queue.count_queue(tx, me),
        "next": get_next_cursor(request, reading_queue.QUESTION, page),
    }
    return render(request, "readings/queue.html", after=after, **context)


@router.post("/papers/{paper_id:int}/reading")
def change(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the status from a list, or save the full form; a blank status removes the paper from my list."""
    next_path, undo = (
        safe_next(fields.get("next"), f"/papers/{paper_id}"),
        (_("Undo"), f"/papers/{paper_id}/reading/undo"),
    )
    if "status" in fields.values and not fields.get("status"):
        is_removed = commands.remove_reading(tx, me, paper_id)
        return redirect_with_flash(request, next_path, _("Removed from queue"), undo=undo if is_removed else ("", ""))
    previous = queries.find_my_reading(tx, me, paper_id)
    update = validate_form(ReadingUpdate, _reading_input(fields, previous)).or_raise()
    reading, _created, event_id = commands.update_reading(tx, me, paper_id, update)
    if event_id is None:
        return redirect_with_flash(request, next_path, _("No changes"), kind="info")
    is_same_status = previous is not None and previous.status == reading.status
    status_word = _(status_transitions.WORDS[reading.status])
    message = _("Saved") if is_same_status else _("Marked as {status}").format(status=status_word)
    return redirect_with_flash(request, next_path, message, undo=undo)


@router.post("/papers/{paper_id:int}/reading/undo")
def undo(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo my last change."""
    commands.undo_reading(tx, me, paper_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}"), _("Undone"))


@router.post("/papers/{paper_id:int}/reading/position")
def move(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move a paper within my queue."""
    next_path = safe_next(fields.get("next"), "/queue")
    values = {name: fields.get(name) for name in ("to", "before", "after") if fields.get(name)}
    move = validate_form(QueueMove, values).or_raise()
    _reading, is_moved = commands.move_reading(tx, me, paper_id, move)
    if not is_moved:
        return redirect_with_flash(request, next_path, _("No changes"), kind="info")
    undo = (_("Undo"), f"/papers/{paper_id}/reading/undo")
    return redirect_with_flash(request, next_path, _("Moved"), undo=undo)


def _reading_input(fields: Fields, current: Any) -> dict[str, Any]:  # noqa: ANN401 - my reading as the form showed it
    """Convert the form to the input model.

    Unchanged fields are omitted: dates of a finished pass must not apply to the next one. Cleared fields are cleared.
    """
    status = fields.get("status") or _current_value(current, "status")
    values: dict[str, Any] = {"status": fields.get("status")}
    for name in ("started_on", "version", *SHOWN_IN):
        is_hidden = SHOWN_IN.get(name, status) != status  # the form hides it, as it belongs to another status
        if name in fields.values and not is_hidden and fields.get(name) != _current_value(current, name):
            values[name] = fields.get(name) or None
    if any(fields.get(name) != _current_value(current, name) for name in PROGRESS if name in fields.values):
        values["progress"] = _progress(fields, current)
    if "private_shown" in fields.values:
        values["private"] = fields.get("private") == "1"
    return values


def _current_value(current: Any, name: str) -> str:  # noqa: ANN401
    value = getattr(current, "version_label" if name == "version" else name, None)
    return "" if value is None else str(value)


def _progress(fields: Fields, current: Any) -> dict[str, str] | None:  # noqa: ANN401
    if not fields.get("progress_at"):
        return None
    unit = fields.get("progress_unit") or _current_value(current, "progress_unit") or "page"
    total = {"of": fields.get("progress_of")} if fields.get("progress_of") and unit != "percent" else {}
    return {"unit": unit, "at": fields.get("progress_at"), **total}
