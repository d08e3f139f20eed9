"""My reading, as forms: status, depth, progress, dates, and taking the last change back."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack.errors import Invalid
from readtrack.readings import commands, queries, states
from readtrack.readings.commands import ReadingSet
from readtrack.web.forms import Fields, Form, check
from readtrack.web.next import safe_next
from readtrack.web.templating import go
from readtrack.web.transactions import WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)


@router.post("/papers/{paper_id}/reading")
def change(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """A status from a list row, or the whole form of the paper's page. An empty status takes the paper off my list."""
    back = safe_next(fields.get("next"), f"/papers/{paper_id}")
    if "status" in fields.values and not fields.get("status"):
        commands.remove_reading(tx, me, paper_id)
        return go(request, back, "Off your list.")
    checked = check(ReadingSet, _shaped(fields, queries.find_my_reading(tx, me, paper_id)))
    if checked.value is None:
        raise Invalid(" ".join(checked.errors.values()) + " Nothing was changed.")
    reading, _ = commands.set_reading(tx, me, paper_id, checked.value)
    return go(request, back, f"Now: {states.WORDS[reading.status]}.", undo=("Undo", f"/papers/{paper_id}/reading/undo"))


@router.post("/papers/{paper_id}/reading/undo")
def undo(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes my last change back."""
    reading = commands.undo_reading(tx, me, paper_id)
    now = states.WORDS[reading.status if reading else None]
    return go(request, safe_next(fields.get("next"), f"/papers/{paper_id}"), f"Taken back. Now: {now}.")


def _shaped(fields: Fields, mine: Any) -> dict[str, Any]:  # noqa: ANN401 - my reading as the form showed it
    """Flat form fields as the input model wants them. What stands in the form as it was shown is not said again: the
    dates of a finished pass are none of the next one's. What was shown and is emptied is cleared.
    """
    shaped: dict[str, Any] = {"status": fields.get("status")}
    for name in ("depth", "reason", "started_on", "finished_on"):
        if name in fields.values and fields.get(name) != _shown(mine, name):
            shaped[name] = fields.get(name) or None
    if any(fields.get(name) != _shown(mine, name) for name in ("progress_at", "progress_of") if name in fields.values):
        shaped["progress"] = _progress(fields, mine)
    if "private_shown" in fields.values:
        shaped["private"] = fields.get("private") == "1"
    return shaped


def _shown(mine: Any, name: str) -> str:  # noqa: ANN401
    value = getattr(mine, name, None)
    return "" if value is None else str(value)


def _progress(fields: Fields, mine: Any) -> dict[str, str] | None:  # noqa: ANN401
    if not fields.get("progress_at"):
        return None
    progress = {"unit": fields.get("progress_unit") or _shown(mine, "progress_unit") or "page"}
    progress["at"] = fields.get("progress_at")
    return progress | ({"of": fields.get("progress_of")} if fields.get("progress_of") else {})
